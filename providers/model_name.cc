#include "providers/model_name.h"

#include <cctype>
#include <vector>

namespace turnlog {
namespace {

constexpr int kLongestVersion = 2;  // digits; a longer number is a date

// "claude-opus-4-6-20260205" has the versions 4 and 6, "gemini-2.5-pro" 2 and 5.
std::vector<int> Versions(std::string_view name) {
  std::vector<int> versions;
  for (std::size_t at = 0; at < name.size() && versions.size() < 2;) {
    if (std::isdigit(static_cast<unsigned char>(name[at])) == 0) {
      if (!versions.empty() && name[at] != '-' && name[at] != '.') break;
      ++at;
      continue;
    }
    std::size_t end = at;
    int value = 0;
    while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) {
      if (end - at < kLongestVersion) value = value * 10 + (name[end] - '0');
      ++end;
    }
    if (end - at > kLongestVersion) break;
    versions.push_back(value);
    at = end;
  }
  return versions;
}

}  // namespace

bool ModelName::IsBefore(std::string_view family, int major, int minor) const {
  const std::size_t at = name_.find(family);
  if (at == std::string::npos) return false;
  const std::vector<int> versions = Versions(std::string_view(name_).substr(at + family.size()));
  if (versions.empty()) return false;
  const int has_minor = versions.size() > 1 ? versions[1] : 0;
  return versions[0] < major || (versions[0] == major && has_minor < minor);
}

bool ModelName::ReasonsAtOpenAi() const {
  if (name_.contains("codex")) return true;
  if (name_.size() > 1 && name_[0] == 'o' && std::isdigit(static_cast<unsigned char>(name_[1])) != 0) return true;
  return name_.contains("gpt-") && !IsBefore("gpt-", 5, 0) && !name_.contains("chat");
}

}  // namespace turnlog
