#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/try.h"
#include "sanitize/repair/strict_run.h"
#include "turnlog/sanitize/sanitize_store.h"

namespace turnlog {
namespace {

// What is in memory only is looked through once for each page, and a page is synced once.
constexpr std::size_t kPage = 2048;

Result<SanitizeOutcome> SanitizeOne(Log& log, const ConversationId& conversation, const StorePass& pass) {
  if (pass.apply) return Sanitize(log, conversation, pass.options);
  return SanitizeOutcome{TURNLOG_TRY(PlanSanitize(log, conversation, pass.options)), {}};
}

// The outcomes of a page, in its order; empty: the pass was stopped before that conversation.
using Outcomes = std::vector<std::optional<Result<SanitizeOutcome>>>;

// One sync for a whole page: with one for each conversation, most of the time would go into syncs.
void SyncRepairs(Log& log, Outcomes& outcomes) {
  for (auto& outcome : outcomes) {
    if (!outcome || !*outcome || (*outcome)->repairs.empty()) continue;
    if (const Status synced = log.Wait((*outcome)->ticket, Durability::kSync); !synced) {
      outcome = std::unexpected(synced.error());
    }
  }
}

// Whether the pass goes on.
bool Report(std::span<const ConversationId> page, const Outcomes& outcomes, const OnSanitized& on_sanitized) {
  bool go_on = true;
  for (std::size_t i = 0; i < page.size(); ++i) {
    const bool reported = outcomes[i] && on_sanitized(page[i], *outcomes[i]);
    go_on = go_on && reported;
  }
  return go_on;
}

// Whether the pass goes on.
bool SanitizePage(Log& log, std::span<const ConversationId> page, StorePass pass, const OnSanitized& on_sanitized) {
  const bool sync = pass.options.durability == Durability::kSync;
  pass.options.durability = Durability::kBuffered;
  Outcomes outcomes(page.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < page.size(); i = next++) {
      if (pass.stop && pass.stop()) return;
      outcomes[i] = SanitizeOne(log, page[i], pass);
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < std::min<std::size_t>(pass.jobs, page.size()); ++i) helpers.emplace_back(work);
    work();
  }
  if (sync) SyncRepairs(log, outcomes);
  return Report(page, outcomes, on_sanitized);
}

}  // namespace

void SanitizeConversations(Log& log, std::span<const ConversationId> conversations, const StorePass& pass,
                           const OnSanitized& on_sanitized) {
  while (!conversations.empty()) {
    const auto page = conversations.first(std::min(kPage, conversations.size()));
    if (!SanitizePage(log, page, pass, on_sanitized)) return;
    conversations = conversations.subspan(page.size());
  }
}

Status SanitizeStore(Log& log, const StorePass& pass, const OnSanitized& on_sanitized) {
  const bool all = pass.unchanged || pass.options.profile != RepairProfile::kStrict;
  for (std::string after;;) {
    const auto infos = TURNLOG_TRY(all ? log.List(after, kPage) : log.ListChanged(kWatermarkConsumer, after, kPage));
    if (infos.empty()) return {};
    std::vector<ConversationId> page;
    page.reserve(infos.size());
    for (const ConversationInfo& info : infos) page.push_back(TURNLOG_TRY(ConversationId::Parse(info.id)));
    if (!SanitizePage(log, page, pass, on_sanitized)) return {};
    after = infos.back().id;
  }
}

}  // namespace turnlog
