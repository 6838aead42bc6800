// State shared by all sources of one import: the log, the report, and the memory limits.
#pragma once

#include <cstddef>
#include <future>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "log/encoded_log.h"
#include "migrate/import/imported_secrets.h"
#include "turnlog/migrate/import.h"

namespace turnlog {

class SecretSearch;

// Memory limits.
struct ImportLimits {
  std::size_t append_bytes = std::size_t{8} << 20;     // a conversation up to this size is one append
  std::size_t waiting_bytes = std::size_t{32} << 20;   // of all conversations in progress
  std::size_t kept_bytes = std::size_t{64} << 20;      // of events that were parsed once and are not parsed again
  std::size_t unwritten_bytes = std::size_t{4} << 20;  // appended but not written by the log
  std::size_t open = 30'000;                           // conversations in progress, some 1.7 KiB each
};

class ImportRun {
 public:
  // `secrets`: null if none are looked for.
  explicit ImportRun(Log& log, const ImportLimits& within = {}, const SecretSearch* secrets = nullptr)
      : limits(within), log_(log), encoded_log_(dynamic_cast<EncodedLog*>(&log)), secrets_(secrets) {}

  const ImportLimits limits;
  // The source is being written: what has changed besides its events need not be appended yet.
  bool may_postpone = false;
  // Threads that may read its source ahead.
  unsigned readers = 0;

  Log& log() { return log_; }
  ImportReport& report() { return report_; }
  const SecretSearch* secrets() const { return secrets_; }
  bool redacts_secrets() const;
  // The report since the last call.
  ImportReport TakeReport();

  // Reports a conversation or path that was not imported.
  void Fail(ImportProblem problem);
  // As Fail, unless the error stops the whole import: then returns it.
  Status FailOrStop(ImportProblem problem, const Error& error);

  // Appends after `last` (0: a new conversation) without waiting for the disk. Returns the new last seq; kConflict as
  // Log::Append, and also if all events are in the log already.
  Result<Seq> Append(const ConversationId& conversation, std::span<const EncodedEvent> events, Seq last);
  // Counts the secrets in a text that comes in besides events, if they are reported.
  void CountSecrets(std::string_view text);
  // Everything appended is durable when it returns.
  Result<ImportReport> Finish();

 private:
  Result<AppendResult> AppendLater(const ConversationId& conversation, std::span<const EncodedEvent> events, Seq last);
  ImportedSecrets* counted();
  Status SyncMeanwhile();

  Log& log_;
  EncodedLog* const encoded_log_;  // the same; null: it takes no encoded events
  const SecretSearch* const secrets_;
  ImportReport report_;
  std::optional<ImportedSecrets> counted_;
  std::optional<Ticket> last_ticket_;
  std::size_t unwritten_ = 0;
  std::future<Status> syncing_;  // its end waits for it
};

}  // namespace turnlog
