#include "search/glob.h"

#include <cstddef>

namespace turnlog {
namespace {

// Bytes of the UTF-8 character that begins at text[at].
std::size_t CharacterBytes(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  return end - at;
}

}  // namespace

bool IsGlob(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

// Only the last star needs backtracking: a longer match of an earlier star can be matched by the later one instead.
bool MatchesGlob(std::string_view glob, std::string_view text) {
  std::size_t g = 0, t = 0;
  std::size_t after_star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      after_star = ++g;
      retry = t;
    } else if (g < glob.size() && glob[g] == '?') {
      ++g;
      t += CharacterBytes(text, t);
    } else if (g < glob.size() && glob[g] == text[t]) {
      ++g;
      ++t;
    } else if (after_star != std::string_view::npos) {
      g = after_star;
      t = ++retry;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

}  // namespace turnlog
