#include "sanitize/secrets/emphasis.h"

#include <algorithm>

namespace turnlog {
namespace {

constexpr std::size_t kMinToken = 16, kMostMarks = 3;
constexpr std::string_view kTokenLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.-:~$";
constexpr std::string_view kWordLetters = kTokenLetters.substr(0, 63);

}  // namespace

TextSpan EmphasizedToken(std::string_view run) {
  const std::size_t begin = std::min(run.find_first_not_of('_'), run.size());
  if (begin == 0 || begin > kMostMarks) return {};
  const std::string_view marks = run.substr(0, begin);
  for (std::size_t end = begin; (end = run.find(marks, end)) != run.npos; ++end) {
    const std::size_t after = end + marks.size();
    if (after < run.size() && kWordLetters.contains(run[after])) continue;
    return end - begin < kMinToken ? TextSpan() : TextSpan{begin, end};
  }
  return {};
}

std::optional<SecretString> WithoutEmphasis(std::string_view text) {
  std::optional<SecretString> without;
  for (std::size_t at = text.find('_'); at < text.size(); at = text.find('_', at)) {
    const std::size_t end = std::min(text.find_first_not_of(kTokenLetters, at), text.size());
    const bool begins = at == 0 || !kWordLetters.contains(text[at - 1]);
    const TextSpan token = begins ? EmphasizedToken(text.substr(at, end - at)) : TextSpan();
    if (token.size() > 0) {
      if (!without) without.emplace(text);
      const std::span<char> run = without->Resize(text.size()).subspan(at);
      std::ranges::fill(run.first(token.begin), ' ');
      std::ranges::fill(run.subspan(token.end, token.begin), ' ');
    }
    at = end;
  }
  return without;
}

}  // namespace turnlog
