#include "inquiry/safe_text.h"

#include <utility>

#include "base/unicode.h"

namespace turnlog {
namespace {

struct Line {
  std::string text;
  std::size_t length = 0;  // in code points

  void Add(std::string_view bytes) {
    text.append(bytes);
    ++length;
  }
};

// `enough`: what follows so many characters is not looked at.
Line Clean(std::string_view text, std::size_t enough) {
  Line line;
  bool blank = false;
  CharacterReader characters(text);
  while (line.length <= enough) {
    const auto character = characters.Next();
    if (!character) break;
    blank = blank || (character->space && line.length > 0);
    if (character->space || !character->safe) continue;
    if (std::exchange(blank, false)) line.Add(" ");
    line.Add(character->bytes);
  }
  return line;
}

// At most `length` code points of it, cut between characters as people see them.
std::string_view Prefix(std::string_view text, std::size_t length) {
  std::size_t cut = 0, at = 0;
  CharacterReader characters(text);
  for (std::size_t read = 0; read <= length; ++read) {
    const auto character = characters.Next();
    if (!character) return text;
    if (!character->joined) cut = at;
    at += character->bytes.size();
  }
  return text.substr(0, cut);
}

}  // namespace

std::string SafeLine(std::string_view text, std::size_t limit) {
  constexpr std::string_view kCut = "...";
  Line line = Clean(text, limit);
  if (line.length <= limit) return std::move(line.text);
  return std::string(Prefix(line.text, limit - kCut.size())).append(kCut);
}

}  // namespace turnlog
