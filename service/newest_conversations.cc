#include "service/newest_conversations.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/try.h"

namespace turnlog {

Result<std::vector<ConversationInfo>> NewestConversations(
    std::size_t most, const std::function<Result<std::vector<ConversationInfo>>(std::string_view after)>& read) {
  const auto newer = [](const ConversationInfo& left, const ConversationInfo& right) {
    return left.last_time > right.last_time;
  };
  std::vector<ConversationInfo> newest;
  for (std::string after;;) {
    auto page = TURNLOG_TRY(read(after));
    if (page.empty()) return newest;
    after = page.back().id;
    std::ranges::move(page, std::back_inserter(newest));
    const std::size_t keep = std::min(newest.size(), most);
    std::ranges::partial_sort(newest, newest.begin() + static_cast<std::ptrdiff_t>(keep), newer);
    newest.resize(keep);
  }
}

}  // namespace turnlog
