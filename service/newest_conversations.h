// The conversations that were appended to last, out of a list that is read page by page.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

// `read`: the page after a conversation id; an empty one is the end. At most `most`, newest first.
Result<std::vector<ConversationInfo>> NewestConversations(
    std::size_t most, const std::function<Result<std::vector<ConversationInfo>>(std::string_view after)>& read);

}  // namespace turnlog
