#include "migrate/requests/call_names.h"

#include <fmt/format.h>

#include "base/hash.h"

namespace turnlog {
namespace {

constexpr std::size_t kMaxId = 40;  // of a chat of OpenAI's, the shortest
constexpr std::size_t kMaxCallName = 64;

bool IsAllowed(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_' || letter == '-';
}

// A long text ends with a hash of itself instead of its end.
std::string Cleaned(std::string_view text, std::size_t limit) {
  std::string clean;
  for (const char letter : text) clean.push_back(IsAllowed(letter) ? letter : '_');
  if (clean.size() <= limit) return clean;
  const std::string hash = fmt::format("_{:016x}", Hash64(text));
  return clean.substr(0, limit - hash.size()) + hash;
}

}  // namespace

std::string CallNames::IdFor(std::string_view id) {
  std::string given = Cleaned(id, kMaxId);
  if (given.empty()) given = "call";
  for (std::uint64_t copy = 2; !ids_.insert(given).second; ++copy) {
    const std::string suffix = fmt::format("_{}", copy);
    given = Cleaned(id, kMaxId - suffix.size()) + suffix;
  }
  if (given != id) ++changed_ids_;
  return given;
}

std::string CallNames::NameFor(std::string_view tool) {
  const bool starts_well = !tool.empty() && tool.front() != '-' && (tool.front() < '0' || tool.front() > '9');
  std::string given = starts_well ? Cleaned(tool, kMaxCallName) : "_" + Cleaned(tool, kMaxCallName - 1);
  if (given != tool) ++changed_names_;
  if (names_.insert(given).second) tools_.push_back(given);
  return given;
}

}  // namespace turnlog
