// Reads a session whose messages and parts are texts of their own: rows of a database, or files.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "migrate/opencode/message.h"
#include "migrate/records/piece_reader.h"

namespace turnlog {

// The texts of a session; together they are what an export writes.
class OpencodeTexts {
 public:
  struct Text {
    bool is_message = false;        // or a part of the last one that was returned
    bool is_whole = false;          // or a message with all its parts, of version 2
    bool is_last = false;           // no message of the assistant follows the one that it is or belongs to
    std::string lead, text, trail;  // what is before and after the text
  };

  virtual ~OpencodeTexts() = default;
  // Of the session and what is beside its messages, which opencode replaces.
  virtual Result<std::string> Header() = 0;
  struct Row {
    std::string name, text;
  };
  // The next row beside the messages that is kept by itself; nothing after the last one.
  virtual Result<std::optional<Row>> NextRow() { return std::nullopt; }
  // The next message or part, each message before its parts; nothing after the last one.
  virtual Result<std::optional<Text>> Next() = 0;
};

// Ends at a part of the assistant's last message that is still being written: it and what follows, such as prompts that
// wait, are the rest, until the message is complete or the assistant begins another one. A message that changes
// meanwhile is revised. A call that runs is a record, because it does not change any more.
class OpencodeSessionReader final : public PieceReader {
 public:
  // `current`: gets the message of each record.
  OpencodeSessionReader(std::unique_ptr<OpencodeTexts> texts, std::shared_ptr<OpencodeMessage> current)
      : texts_(std::move(texts)), current_(std::move(current)) {}

  Result<RecordPiece> Next() override;

 private:
  Result<RecordPiece> Header();
  Result<std::optional<RecordPiece>> NextRow();
  bool TakeText(const RecordPiece& piece, bool was_open);
  bool TakeWhole(const RecordPiece& piece);
  Result<RecordPiece> Damage(const Error& error);
  RecordPiece End();
  RecordPiece At(RecordPiece piece);
  bool IsOpen() const { return text_.is_last && (torn_message_ || !current_->complete); }

  std::unique_ptr<OpencodeTexts> texts_;
  std::shared_ptr<OpencodeMessage> current_;
  OpencodeTexts::Text text_;
  std::string header_, lead_, pending_, rest_, reason_, repaired_;
  OpencodeTexts::Row row_;
  std::optional<Error> row_damage_;
  bool has_header_ = false, has_rows_ = false, in_rest_ = false;
  bool torn_message_ = false;  // its file is being written: it does not say yet whose the parts are
  std::uint64_t offset_ = 0;
};

}  // namespace turnlog
