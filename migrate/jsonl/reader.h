// Reads JSON lines as events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "migrate/jsonl/line_blocks.h"
#include "migrate/logged/earlier_lines.h"
#include "migrate/records/id_table.h"
#include "migrate/sources/conversation_table.h"
#include "migrate/sources/source_reader.h"

namespace turnlog {

// Memory: that of LineBlocks, and about 36 bytes for each conversation and 30 for each `event_id`.
class JsonlReader final : public SourceReader {
 public:
  // `file` must outlive it. Lines without a `conversation` belong to the one named like the file.
  // `start`: after lines that were read before. Fails with kConflict if the file has to be read from its beginning.
  // `threads`: as LineBlocks has it.
  explicit JsonlReader(SourceFile& file, const LinesStart& start = {}, unsigned threads = 0);

  Result<SourceItem> Next() override;

 private:
  Result<SourceItem> End();
  Result<SourceItem> ReadLine(const JsonLine& line);
  Result<SourceItem> Accept(const EncodedEvent& event);
  Status CheckEarlier(std::string_view conversation, const EventView& event, bool first, std::uint64_t& next);
  std::string ConversationOf(std::string_view line) const;
  SourceItem Unreadable(std::string_view message);
  ImportProblem Problem(ImportProblemCode code, std::string_view reason, std::size_t byte);
  SourceFault Fault(std::optional<std::string> conversation, std::string_view reason, std::size_t byte = 0);
  SourceLocation Location() const;
  std::uint64_t Taken(std::uint64_t end);

  SourceFile& file_;
  const std::string own_conversation_;
  const LinesStart start_;
  LineBlocks blocks_;
  LineBlock* block_ = nullptr;         // whose lines are being returned; null before the first
  const JsonLine* line_ = nullptr;     // the last one
  std::uint64_t taken_;                // bytes up to the last item
  std::optional<std::uint64_t> torn_;  // where a last line begins that has no end yet
  bool ended_ = false;                 // the resume point was returned
  std::string conversation_;           // of the line, if the parser does not report it
  ConversationTable<std::uint64_t> next_seqs_;
  IdTable event_ids_;  // hashed with their conversations
};

}  // namespace turnlog
