#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "sanitize/for_each_of.h"
#include "sanitize/repair/sanitize_later.h"
#include "sanitize/repair/strict_run.h"
#include "turnlog/sanitize/sanitize_store.h"

namespace turnlog {
namespace {

// What is in memory only is looked through once for each page, and a page is synced once.
constexpr std::size_t kPage = 2048;

Result<BegunSanitize> SanitizeOne(Log& log, const ConversationId& conversation, const StorePass& pass) {
  if (pass.apply) return BeginSanitize(log, conversation, pass.options);
  return BegunSanitize{{TURNLOG_TRY(PlanSanitize(log, conversation, pass.options)), {}}, {}};
}

// The outcomes of a page, in its order; empty: the pass was stopped before that conversation.
using Outcomes = std::vector<std::optional<Result<BegunSanitize>>>;

// The first one waits for the repairs of all: with a write and a sync for each conversation, most of the time would go
// into these.
void FinishPage(Log& log, std::span<const ConversationId> page, const StorePass& pass, Outcomes& outcomes) {
  ForEachOf(page.size(), pass.jobs, [&](std::size_t i) {
    if (!outcomes[i] || !*outcomes[i]) return true;
    const Status finished = FinishSanitize(log, page[i], **outcomes[i], pass.options.durability);
    if (!finished) outcomes[i] = std::unexpected(finished.error());
    return true;
  });
}

// Whether the pass goes on.
bool Report(std::span<const ConversationId> page, Outcomes& outcomes, const OnSanitized& on_sanitized) {
  bool go_on = true;
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (!outcomes[i]) {
      go_on = false;
    } else if (Result<BegunSanitize>& done = *outcomes[i]; !done) {
      go_on = on_sanitized(page[i], std::unexpected(done.error())) && go_on;
    } else {
      go_on = on_sanitized(page[i], std::move(done->outcome)) && go_on;
    }
  }
  return go_on;
}

// Whether the pass goes on.
bool SanitizePage(Log& log, std::span<const ConversationId> page, const StorePass& pass,
                  const OnSanitized& on_sanitized) {
  StorePass begin = pass;
  begin.options.durability = Durability::kBuffered;
  Outcomes outcomes(page.size());
  ForEachOf(page.size(), pass.jobs, [&](std::size_t i) {
    if (pass.stop && pass.stop()) return false;
    outcomes[i] = SanitizeOne(log, page[i], begin);
    return true;
  });
  if (pass.apply) FinishPage(log, page, pass, outcomes);
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
