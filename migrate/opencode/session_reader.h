// Reads a session whose parts are texts of their own: rows of a database, or files.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "migrate/opencode/message.h"
#include "migrate/records/piece_reader.h"

namespace turnlog {

// The texts of a session; together they are what an export writes.
class OpencodeTexts {
 public:
  struct Part {
    std::size_t message = 0;        // index
    std::string lead, text, trail;  // what is before and after the text
  };

  virtual ~OpencodeTexts() = default;
  // Of the session and its messages, which opencode changes while parts are added. Appends the messages, in order.
  virtual Result<std::string> Header(std::vector<OpencodeMessage>& messages) = 0;
  // The next part of the messages in their order; nothing after the last one.
  virtual Result<std::optional<Part>> Next() = 0;
};

// Ends at a part of the last message that is still being written: it and what follows are the rest, until they are
// complete. A call that runs is a record, because it does not change any more.
class OpencodeSessionReader final : public PieceReader {
 public:
  // `current`: gets the message of each record.
  OpencodeSessionReader(std::unique_ptr<OpencodeTexts> texts, std::shared_ptr<OpencodeMessage> current)
      : texts_(std::move(texts)), current_(std::move(current)) {}

  Result<RecordPiece> Next() override;

 private:
  Result<RecordPiece> Header();
  Result<RecordPiece> Damage(const Error& error);
  RecordPiece End();
  RecordPiece At(RecordPiece piece);
  bool IsOpen(std::size_t message) const { return message + 1 >= messages_.size() && !current_->complete; }

  std::unique_ptr<OpencodeTexts> texts_;
  std::shared_ptr<OpencodeMessage> current_;
  std::vector<OpencodeMessage> messages_;
  OpencodeTexts::Part part_;
  std::string header_, lead_, pending_, rest_, reason_, repaired_;
  bool has_header_ = false, in_rest_ = false;
  std::uint64_t offset_ = 0;
};

}  // namespace turnlog
