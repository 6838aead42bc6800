// Characters for display: which may reach a terminal or a prompt, their width, and the borders of visible characters;
// and the normalization forms of a text. The tables are libutf8proc's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/secret_string.h"
#include "base/utf8.h"

namespace turnlog {

// A code point of a text, or one byte of it that is not UTF-8.
struct Character {
  std::string_view bytes;
  std::optional<char32_t> code;  // none: not UTF-8
  // May be shown unchanged. Not safe: invalid UTF-8, control characters, separators of lines and paragraphs, marks of
  // direction, and invisible characters, unless the script of its neighbours needs them: a joiner between two letters
  // or symbols beyond the Latin, Greek and Cyrillic ones, a variation selector after a symbol or ideograph.
  bool safe = false;
  bool space = false;       // of any kind, line breaks too
  bool joined = false;      // part of the previous character's grapheme cluster
  std::size_t columns = 0;  // on a terminal, if safe
};

class CharacterReader {
 public:
  explicit CharacterReader(std::string_view text) : rest_(text) {}

  // Nothing at the end of the text.
  std::optional<Character> Next();
  // The letters, digits, signs and blanks of ASCII that come next, all at once: safe, and a column wide each.
  std::string_view TakeAscii();

 private:
  Character NextAscii();
  bool IsNeeded(char32_t code) const;
  void Remember(const Character& character);

  std::string_view rest_;
  // Of the character before:
  std::optional<char32_t> last_;
  bool last_joins_ = false;           // a joiner after it has something to join
  bool last_takes_selector_ = false;  // a variation selector after it has something to select
  std::int32_t break_state_ = 0;      // utf8proc_grapheme_break_stateful
};

// All characters of the text may be shown as they are.
bool IsSafeText(std::string_view text);

// Columns on a terminal of a text that is safe to show.
std::size_t DisplayWidth(std::string_view text);

// Letters with marks as one character each (NFC), or as several (NFD).
enum class NormalForm : std::uint8_t { kComposed, kDecomposed };
// Empty if the text is not UTF-8.
SecretString Normalize(std::string_view text, NormalForm form);

}  // namespace turnlog
