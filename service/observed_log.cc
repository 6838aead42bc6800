#include "service/observed_log.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace turnlog {
namespace {

class Clock {
 public:
  std::chrono::nanoseconds Elapsed() const { return std::chrono::steady_clock::now() - begin_; }

 private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::uint64_t CountNew(const AppendResult& result) {
  return static_cast<std::uint64_t>(std::ranges::count(result.events, false, &AppendedEvent::repeated));
}

}  // namespace

Capabilities ObservedLog::capabilities() const {
  Capabilities capabilities = log_.capabilities();
  capabilities.appends_later = false;
  return capabilities;
}

Result<AppendResult> ObservedLog::Append(const ConversationId& conversation, std::span<const EventView> events,
                                         const AppendOptions& options) {
  const Clock clock;
  auto result = Noted(log_.Append(conversation, events, options));
  if (result) on_change_({conversation, CountNew(*result), false, options.durability, clock.Elapsed()});
  return result;
}

std::vector<Result<AppendResult>> ObservedLog::AppendAll(std::span<const AppendRequest> appends,
                                                         Durability durability) {
  if (combines_appends()) {
    const auto since = std::chrono::steady_clock::now();
    auto results = BeginAll(appends, durability);
    EndAll(appends, durability, since, results);
    return results;
  }
  std::vector<Result<AppendResult>> results;
  results.reserve(appends.size());
  for (const AppendRequest& each : appends) {
    results.push_back(Append(each.conversation, each.events, {durability, each.expected_last}));
  }
  return results;
}

std::vector<Result<AppendResult>> ObservedLog::BeginAll(std::span<const AppendRequest> appends, Durability durability) {
  std::vector<Result<AppendResult>> results;
  results.reserve(appends.size());
  for (const AppendRequest& each : appends) {
    results.push_back(Noted(log_.AppendLater(each.conversation, each.events, {durability, each.expected_last})));
  }
  return results;
}

void ObservedLog::EndAll(std::span<const AppendRequest> appends, Durability durability,
                         std::chrono::steady_clock::time_point since, std::span<Result<AppendResult>> results) {
  // Waiting for the last one makes those before it durable, too.
  for (auto& result : results | std::views::reverse) {
    if (!result) continue;
    if (Status waited = Noted(log_.Wait(result->ticket, durability)); !waited) {
      result = std::unexpected(std::move(waited).error());
    }
  }
  const auto took = std::chrono::steady_clock::now() - since;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i]) on_change_({appends[i].conversation, CountNew(*results[i]), false, durability, took});
  }
}

Result<EraseReport> ObservedLog::Erase(const ConversationId& conversation, std::span<const Seq> seqs,
                                       const EraseOptions& options) {
  const Clock clock;
  auto report = Noted(log_.Erase(conversation, seqs, options));
  if (report) on_change_({conversation, 0, true, Durability::kSync, clock.Elapsed()});
  return report;
}

Result<RedactReport> ObservedLog::Redact(const ConversationId& conversation, std::span<const Replacement> replacements,
                                         const EventView& redaction, const RedactOptions& options) {
  const Clock clock;
  auto report = Noted(log_.Redact(conversation, replacements, redaction, options));
  if (report) on_change_({conversation, 1, true, Durability::kSync, clock.Elapsed()});
  return report;
}

}  // namespace turnlog
