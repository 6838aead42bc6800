#include "log/consumer_name.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace turnlog {
namespace {

constexpr std::size_t kMaxBytes = 32;

bool IsAllowed(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

}  // namespace

Status CheckConsumerName(std::string_view name) {
  if (!name.empty() && name.size() <= kMaxBytes && std::ranges::all_of(name, IsAllowed)) return {};
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument, "a consumer's name must have 1 to 32 bytes of a-z, 0-9, '-' and '_'"});
}

}  // namespace turnlog
