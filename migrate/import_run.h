// What importers of all formats do: append conversations, one after the other, and keep the books.
#pragma once

#include <span>

#include "turnlog/import.h"

namespace turnlog {

class ImportRun {
 public:
  explicit ImportRun(Log& log) : log_(log) {}

  Log& log() { return log_; }
  ImportReport& report() { return report_; }

  // A conversation did not come in.
  void Fail(ImportProblem problem);
  // As Fail, unless the error is one that makes it useless to go on: then it is given back.
  Status FailOrStop(ImportProblem place, const Error& error);

  // The conversation's last seq; nothing if the log does not have it.
  Result<std::optional<Seq>> LastSeq(const ConversationId& conversation);
  // Appends behind `last` (0: a new conversation) and counts.
  Status Append(const ConversationId& conversation, std::span<const Event> events, Seq last);
  // All that was appended is on disk when it returns.
  Result<ImportReport> Finish();

 private:
  Log& log_;
  ImportReport report_;
  std::optional<Ticket> last_ticket_;
};

// An error message of the schema's, "byte 17: id is missing", as its two parts.
struct PlacedMessage {
  std::size_t byte = 0;
  std::string_view text;
};
PlacedMessage TakePlace(std::string_view message);

}  // namespace turnlog
