#include "inquiry/safe_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/utf8.h"

namespace turnlog {
namespace {

struct Range {
  char32_t first, last;
};

// Controls, marks of direction, line and paragraph separators, invisible characters, tags, what is no character.
constexpr std::array<Range, 13> kUnsafe{{{0x00, 0x1f},
                                         {0x7f, 0x9f},
                                         {0xad, 0xad},
                                         {0x61c, 0x61c},
                                         {0x180e, 0x180e},
                                         {0x200b, 0x200b},
                                         {0x200e, 0x200f},
                                         {0x2028, 0x202e},
                                         {0x2060, 0x206f},
                                         {0xfeff, 0xfeff},
                                         {0xfff9, 0xfffb},
                                         {0x1d173, 0x1d17a},
                                         {0xe0000, 0xe0fff}}};

// What belongs to the character before it: combining marks, variation selectors, joiners, skin tones.
constexpr std::array<Range, 8> kExtending{{{0x300, 0x36f},
                                           {0x1ab0, 0x1aff},
                                           {0x1dc0, 0x1dff},
                                           {0x200c, 0x200d},
                                           {0x20d0, 0x20ff},
                                           {0xfe00, 0xfe0f},
                                           {0xfe20, 0xfe2f},
                                           {0x1f3fb, 0x1f3ff}}};

constexpr char32_t kJoiner = 0x200d;

template <std::size_t N>
bool IsIn(const std::array<Range, N>& ranges, char32_t character) {
  return std::ranges::any_of(ranges,
                             [&](const Range& range) { return character >= range.first && character <= range.last; });
}

bool IsSpace(char32_t character) {
  return character == ' ' || (character >= '\t' && character <= '\r') || character == 0x85 || character == 0xa0 ||
         character == 0x2028 || character == 0x2029;
}

std::size_t LengthOf(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// The bytes of the character at the front of `text`; none if there is no whole one.
std::optional<std::string_view> FirstCharacter(std::string_view text) {
  const std::string_view bytes = text.substr(0, LengthOf(text.front()));
  return IsUtf8(bytes) ? std::optional(bytes) : std::nullopt;
}

char32_t CodeOf(std::string_view bytes) {
  constexpr std::array<unsigned char, 5> kLeadMask{0, 0x7f, 0x1f, 0x0f, 0x07};
  auto code = static_cast<char32_t>(static_cast<unsigned char>(bytes.front()) & kLeadMask[bytes.size()]);
  for (const char byte : bytes.substr(1)) code = code << 6 | (static_cast<unsigned char>(byte) & 0x3fU);
  return code;
}

// The line, and where in it each character begins.
struct Line {
  std::string text;
  std::vector<std::size_t> begins;
  std::vector<char32_t> codes;

  void Add(std::string_view bytes, char32_t code) {
    begins.push_back(text.size());
    codes.push_back(code);
    text.append(bytes);
  }

  // Whether what people see as one character goes on at `index`.
  bool GoesOn(std::size_t index) const {
    return IsIn(kExtending, codes[index]) || (index > 0 && codes[index - 1] == kJoiner);
  }
};

// `enough`: characters behind it need not be looked at.
Line Clean(std::string_view text, std::size_t enough) {
  Line line;
  bool blank = false;
  while (!text.empty() && line.codes.size() <= enough) {
    const auto bytes = FirstCharacter(text);
    text.remove_prefix(bytes ? bytes->size() : 1);
    if (!bytes) continue;
    const char32_t code = CodeOf(*bytes);
    blank = blank || (IsSpace(code) && !line.codes.empty());
    if (IsSpace(code) || IsIn(kUnsafe, code)) continue;
    if (std::exchange(blank, false)) line.Add(" ", ' ');
    line.Add(*bytes, code);
  }
  return line;
}

}  // namespace

std::string SafeLine(std::string_view text, std::size_t limit) {
  constexpr std::string_view kCut = "...";
  Line line = Clean(text, limit);
  if (line.codes.size() <= limit) return std::move(line.text);
  std::size_t keep = limit - kCut.size();
  while (keep > 0 && line.GoesOn(keep)) --keep;
  line.text.resize(line.begins[keep]);
  return line.text.append(kCut);
}

}  // namespace turnlog
