#include "migrate/import/import_run.h"

#include <chrono>
#include <system_error>
#include <utility>

#include "base/try.h"
#include "migrate/concerns_log.h"
#include "migrate/import/secret_search.h"

namespace turnlog {

bool ImportRun::redacts_secrets() const { return secrets_ != nullptr && secrets_->redacts(); }

void ImportRun::Fail(ImportProblem problem) {
  ++report_.failed;
  report_.problems.push_back(std::move(problem));
}

Status ImportRun::FailOrStop(ImportProblem problem, const Error& error) {
  if (ConcernsLog(error.code)) return std::unexpected(error);
  problem.reason = error.message;
  Fail(std::move(problem));
  return {};
}

Result<Seq> ImportRun::Append(const ConversationId& conversation, std::span<const EncodedEvent> events, Seq last) {
  const AppendResult result = TURNLOG_TRY(AppendLater(conversation, events, last));
  last_ticket_ = result.ticket;
  if (result.events.front().repeated && result.events.back().repeated) {
    return std::unexpected(Error{ErrorCode::kConflict, "the events are in the log already"});
  }
  report_.events += events.size();
  for (const EncodedEvent& event : events) unwritten_ += event.payload.size();
  if (ImportedSecrets* const counted = this->counted()) counted->Count(events);
  if (unwritten_ >= limits.unwritten_bytes) {
    unwritten_ = 0;
    TURNLOG_TRY(log_.Wait(*last_ticket_, Durability::kBuffered));
    TURNLOG_TRY(SyncMeanwhile());
  }
  return result.events.back().seq;
}

Result<AppendResult> ImportRun::AppendLater(const ConversationId& conversation, std::span<const EncodedEvent> events,
                                            Seq last) {
  const AppendOptions options{Durability::kBuffered, last};
  if (encoded_log_ != nullptr) return encoded_log_->AppendEncodedLater(conversation, events, options);
  std::vector<EventView> views;
  views.reserve(events.size());
  for (const EncodedEvent& event : events) views.push_back(event.View());
  return log_.AppendLater(conversation, views, options);
}

void ImportRun::CountSecrets(std::string_view text) {
  if (ImportedSecrets* const counted = this->counted()) counted->Count(text);
}

// On a processor that would otherwise only read ahead. Null: nothing is counted.
ImportedSecrets* ImportRun::counted() {
  if (secrets_ == nullptr || !secrets_->reports()) return nullptr;
  if (!counted_) counted_.emplace(*secrets_, readers > 0);
  return &*counted_;
}

ImportReport ImportRun::TakeReport() {
  if (counted_) counted_->AddTo(report_.secrets);
  return std::exchange(report_, {});
}

// The disk works while the next events are read.
Status ImportRun::SyncMeanwhile() {
  if (syncing_.valid() && syncing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return {};
  const Status synced = syncing_.valid() ? syncing_.get() : Status();
  const auto sync = [this, ticket = *last_ticket_] { return log_.Wait(ticket, Durability::kSync); };
  try {
    syncing_ = std::async(std::launch::async, sync);
  } catch (const std::system_error&) {
    return synced;  // there is no thread for it: Finish syncs
  }
  return synced;
}

Result<ImportReport> ImportRun::Finish() {
  if (last_ticket_) TURNLOG_TRY(log_.Wait(*last_ticket_, Durability::kSync));
  return TakeReport();
}

}  // namespace turnlog
