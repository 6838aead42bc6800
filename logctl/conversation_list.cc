#include "logctl/conversation_list.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "base/try.h"

namespace turnlog {
namespace {

using Infos = std::vector<ConversationInfo>;

// Only the conversations with pending inquiries; the others are not read.
Expected<void> ForEachPending(Log& log, const PendingCounts& counts, const OnPage& on_page) {
  Infos infos;
  for (const auto& [conversation, count] : counts) {
    const auto id = TURNLOG_TRY(ConversationId::Parse(conversation));
    infos.push_back(TURNLOG_TRY(log.Info(id)));
  }
  (void)TURNLOG_TRY(on_page(infos));
  return {};
}

}  // namespace

Expected<PendingCounts> CountPending(Log& log) {
  PendingCounts counts;
  for (const PendingInquiry& pending : TURNLOG_TRY(log.Pending(std::nullopt))) ++counts[pending.conversation];
  return counts;
}

bool ConversationList::Wants(const ConversationInfo& info) const {
  return !since || (info.last_time && *info.last_time >= *since);
}

bool ConversationList::Before(const ConversationInfo& a, const ConversationInfo& b) const {
  const auto key = [this](const ConversationInfo& info) -> std::pair<bool, std::uint64_t> {
    switch (order) {
      case Order::kId:
        return {};
      case Order::kTime:  // conversations without a time come last
        return {info.last_time.has_value(),
                static_cast<std::uint64_t>(info.last_time.value_or(Timestamp{}).nanos) ^ (std::uint64_t{1} << 63)};
      case Order::kSize:
        return {true, info.bytes};
      case Order::kEvents:
        return {true, info.last.value};
    }
    return {};
  };
  const auto& [first, second] = reverse ? std::tie(b, a) : std::tie(a, b);
  const auto first_key = key(first), second_key = key(second);
  return first_key != second_key ? first_key > second_key : first.id < second.id;
}

Expected<void> ConversationList::ForEachUnsorted(Log& log, const PendingCounts& counts, const OnPage& on_page) const {
  const auto filter = [&](const Infos& page) -> Expected<bool> {
    Infos wanted;
    std::ranges::copy_if(page, std::back_inserter(wanted), [this](const auto& info) { return Wants(info); });
    return wanted.empty() ? true : on_page(wanted);
  };
  return pending ? ForEachPending(log, counts, filter) : ForEachPage(log, filter);
}

Expected<void> ConversationList::ForEach(Log& log, const PendingCounts& counts, const OnPage& on_page) const {
  const auto before = [this](const ConversationInfo& a, const ConversationInfo& b) { return Before(a, b); };
  const bool sorts = order != Order::kId || reverse;
  constexpr std::uint64_t kSlack = 4096;  // so that not every page is partitioned
  Infos kept;
  std::uint64_t given = 0;
  const auto cut = [&](std::uint64_t more) {
    if (limit >= kept.size() || kept.size() - limit <= more) return;
    std::ranges::nth_element(kept, kept.begin() + static_cast<std::ptrdiff_t>(limit), before);
    kept.resize(limit);
  };
  const auto on_unsorted = [&](const Infos& page) -> Expected<bool> {
    if (sorts) {
      kept.insert(kept.end(), page.begin(), page.end());
      cut(kSlack);
      return true;
    }
    const auto count = std::min<std::uint64_t>(limit - given, page.size());
    given += count;
    if (count == 0) return false;
    const bool go_on = TURNLOG_TRY(on_page(Infos(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(count))));
    return go_on && given < limit;
  };
  TURNLOG_TRY(ForEachUnsorted(log, counts, on_unsorted));
  cut(0);
  std::ranges::sort(kept, before);
  if (!kept.empty()) (void)TURNLOG_TRY(on_page(kept));
  return {};
}

}  // namespace turnlog
