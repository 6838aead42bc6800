// What all imports of one call share: the log, the books, and how much may wait to be written.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "turnlog/migrate/import.h"

namespace turnlog {

// How much may be in memory.
struct ImportLimits {
  std::size_t append_bytes = std::size_t{8} << 20;     // a conversation up to this size is one append
  std::size_t waiting_bytes = std::size_t{32} << 20;   // of all conversations that are begun
  std::size_t unwritten_bytes = std::size_t{4} << 20;  // what the log may hold back
};

class ImportRun {
 public:
  explicit ImportRun(Log& log, const ImportLimits& within = {}) : limits(within), log_(log) {}

  const ImportLimits limits;

  Log& log() { return log_; }
  ImportReport& report() { return report_; }

  // A conversation, or a path, was not imported.
  void Fail(ImportProblem problem);
  // As Fail, unless the error is one that makes it useless to go on: then it is given back.
  Status FailOrStop(ImportProblem place, const Error& error);

  // The conversation's last seq; 0 if the log does not have it.
  Result<Seq> LastSeq(const ConversationId& conversation);
  // Appends behind `last` (0: a new conversation), without waiting for the disk. Gives the new last seq; kConflict as
  // the log does, also if all of the events are in the log already.
  Result<Seq> Append(const ConversationId& conversation, std::span<const Event* const> events, Seq last);
  // All that was appended is on disk when it returns.
  Result<ImportReport> Finish();

 private:
  Log& log_;
  ImportReport report_;
  std::vector<EventView> views_;
  std::optional<Ticket> last_ticket_;
  std::size_t unwritten_ = 0;
};

// An error message of the schema's, "byte 17: id is missing", as its two parts.
struct PlacedMessage {
  std::size_t byte = 0;
  std::string_view text;
};
PlacedMessage TakePlace(std::string_view message);

}  // namespace turnlog
