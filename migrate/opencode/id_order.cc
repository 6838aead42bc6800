#include "migrate/opencode/id_order.h"

#include <fmt/format.h>

#include <charconv>

namespace turnlog {
namespace {

constexpr std::uint64_t kNumbers = std::uint64_t{1} << 48, kHalf = kNumbers / 2;
constexpr std::uint64_t kFarthest = kNumbers / 16;  // 50 days: how long before or after its parts a message is made

}  // namespace

std::optional<std::uint64_t> OpencodeIdNumber(std::string_view id) {
  constexpr std::size_t kDigits = 12;
  const std::size_t begin = id.find('_') + 1;
  if (begin == 0 || id.size() < begin + kDigits) return std::nullopt;
  std::uint64_t number = 0;
  const char* const first = id.data() + begin;
  const auto [end, error] = std::from_chars(first, first + kDigits, number, 16);
  return error == std::errc() && end == first + kDigits ? std::optional(number) : std::nullopt;
}

void OpencodeIdOrder::Add(std::string_view id) { highest_ = std::max(highest_, OpencodeIdNumber(id).value_or(0)); }

bool OpencodeIdOrder::IsAfterRestart(std::string_view id) const {
  const auto number = OpencodeIdNumber(id);
  return number && *number + kHalf < highest_;
}

std::string FirstPartOfOtherHalf(std::string_view message) {
  const auto number = OpencodeIdNumber(message);
  if (!number || (*number >= kFarthest && *number < kNumbers - kFarthest)) return {};
  return fmt::format("prt_{:012x}", (*number + kHalf) % kNumbers);
}

}  // namespace turnlog
