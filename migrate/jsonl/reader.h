// Reads JSON lines as events.
#pragma once

#include <string>

#include "base/hash_map.h"
#include "migrate/import/byte_reader.h"
#include "migrate/import/source_reader.h"
#include "migrate/records/id_table.h"
#include "turnlog/event_json.h"

namespace turnlog {

// Memory: one line, and up to 64 bytes for each conversation and 30 for each `event_id`.
class JsonlReader final : public SourceReader {
 public:
  // `file` must outlive it. Lines without a `conversation` belong to the one named like the file.
  explicit JsonlReader(SourceFile& file);

  Result<SourceItem> Next() override;

 private:
  SourceItem ReadLine(std::string_view line);
  SourceItem Accept(std::string_view line, const EventView& event);
  std::string ConversationOf(std::string_view line) const;
  SourceFault Unreadable(std::string_view line, std::string_view message);
  SourceFault Fault(std::optional<std::string> conversation, std::string_view reason, std::size_t byte = 0);
  SourceLocation Location() const;
  std::uint64_t Taken();

  const std::string path_, own_conversation_;
  LineReader lines_;
  std::uint64_t taken_ = 0;  // bytes up to the last item
  EventParser parser_;
  std::string conversation_;          // of the line, if the parser does not report it
  HashMap<std::uint64_t> next_seqs_;  // by conversation
  IdTable event_ids_;                 // hashed with their conversations
};

}  // namespace turnlog
