#include "logctl/time_argument.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <string>

namespace turnlog {
namespace {

std::optional<std::int64_t> SecondsOf(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    case 'd':
      return 86400;
    case 'w':
      return 7 * 86400;
    default:
      return std::nullopt;
  }
}

// "12h" before now.
std::optional<Timestamp> ParseAgo(std::string_view text) {
  constexpr std::int64_t kMost = 100'000'000, kNanos = 1'000'000'000;  // some thousand years, in the largest unit too
  const auto unit = text.empty() ? std::nullopt : SecondsOf(text.back());
  std::int64_t count = 0;
  if (!unit) return std::nullopt;
  const char* const end = text.data() + text.size() - 1;
  const auto [read, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || read != end || count < 0 || count > kMost / *unit * 60) return std::nullopt;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return Timestamp{std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - count * *unit * kNanos};
}

}  // namespace

Expected<Timestamp> ParseTimeArgument(std::string_view option, std::string_view text) {
  if (const auto ago = ParseAgo(text)) return *ago;
  constexpr std::size_t kDate = std::string_view("2026-01-31").size();
  const auto time =
      Timestamp::ParseRfc3339(text.size() == kDate ? std::string(text) + "T00:00:00Z" : std::string(text));
  if (time) return *time;
  return WrongUsage(fmt::format("{}: \"{}\" is not a time", option, text),
                    "use 2026-01-31, 2026-01-31T10:00:00Z, or an age: 30m, 12h, 7d");
}

}  // namespace turnlog
