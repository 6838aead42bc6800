#include "turnlog/types.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"

namespace turnlog {
namespace {

bool HasControlCharacter(std::string_view text) {
  if (std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7F; })) return true;
  // U+0080..U+009F, the C1 controls, are C2 80 .. C2 9F.
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const auto second = static_cast<unsigned char>(text[i + 1]);
    if (text[i] == '\xC2' && second >= 0x80 && second <= 0x9F) return true;
  }
  return false;
}

std::unexpected<Error> Bad(const std::string& reason) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, "conversation id " + reason});
}

}  // namespace

Result<ConversationId> ConversationId::Parse(std::string_view text) {
  if (text.empty()) return Bad("is empty");
  if (text.size() > kMaxConversationIdBytes) {
    return Bad(fmt::format("has {} bytes, at most {} are allowed", text.size(), kMaxConversationIdBytes));
  }
  if (!IsUtf8(text)) return Bad("is not valid UTF-8");
  if (HasControlCharacter(text)) return Bad("contains a control character");
  return ConversationId(text);
}

}  // namespace turnlog
