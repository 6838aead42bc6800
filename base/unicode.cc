#include "base/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace turnlog {
namespace {

constexpr char32_t kFirstNotLatin = 0x300;  // combining marks, then the other scripts

using Property = utf8proc_property_t;

const Property& PropertyOf(char32_t code) { return *utf8proc_get_property(static_cast<utf8proc_int32_t>(code)); }

bool IsOneOf(utf8proc_propval_t category, std::initializer_list<utf8proc_category_t> categories) {
  return std::ranges::find(categories, category) != categories.end();
}

// Signs that enclose the digits after them, such as U+0600: format characters by category, but people see them.
bool IsPrependedSign(const Property& property) { return property.boundclass == UTF8PROC_BOUNDCLASS_PREPEND; }

bool IsControl(const Property& property) {
  return IsOneOf(property.category, {UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_ZL, UTF8PROC_CATEGORY_ZP});
}

bool IsInvisible(const Property& property) {
  return property.ignorable || (property.category == UTF8PROC_CATEGORY_CF && !IsPrependedSign(property));
}

bool IsSpace(char32_t code, const Property& property) {
  return (code >= '\t' && code <= '\r') || code == 0x85 ||
         IsOneOf(property.category, {UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_ZL, UTF8PROC_CATEGORY_ZP});
}

bool IsJoiner(char32_t code) { return code == 0x200c || code == 0x200d; }

bool IsVariationSelector(char32_t code) {
  return (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef) ||
         (code >= 0x180b && code <= 0x180f && code != 0x180e);
}

// Letters and marks of scripts that are written with joiners, and emoji: none of them is below the Arabic ones.
bool Joins(char32_t code, const Property& property) {
  constexpr char32_t kFirst = 0x600;
  return code >= kFirst && !IsInvisible(property) &&
         IsOneOf(property.category,
                 {UTF8PROC_CATEGORY_LO, UTF8PROC_CATEGORY_LM, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_MC,
                  UTF8PROC_CATEGORY_SO, UTF8PROC_CATEGORY_SK, UTF8PROC_CATEGORY_SM});
}

// Signs such as U+00A9 and ideographs. In ASCII only the digits of a keycap.
bool TakesSelector(char32_t code, const Property& property) {
  constexpr char32_t kFirst = 0xa9;
  return code >= kFirst && !IsInvisible(property) &&
         IsOneOf(property.category, {UTF8PROC_CATEGORY_LO, UTF8PROC_CATEGORY_SO, UTF8PROC_CATEGORY_SM,
                                     UTF8PROC_CATEGORY_PO, UTF8PROC_CATEGORY_PD});
}

// As terminals do: marks that have a space of their own take a column, parts of a Hangul syllable do not.
std::size_t Columns(char32_t code, const Property& property) {
  if (IsControl(property) || IsInvisible(property)) return 0;
  if (property.category == UTF8PROC_CATEGORY_MC || IsPrependedSign(property)) return 1;
  if (property.boundclass == UTF8PROC_BOUNDCLASS_V || property.boundclass == UTF8PROC_BOUNDCLASS_T) return 0;
  return static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(code)));
}

}  // namespace

std::optional<Character> CharacterReader::Next() {
  if (rest_.empty()) return std::nullopt;
  if (const char front = rest_.front(); front >= ' ' && front <= '~' && (!last_ || *last_ < kFirstNotLatin)) {
    return NextAscii();
  }
  const auto decoded = DecodeUtf8(rest_);
  Character character{.bytes = rest_.substr(0, decoded ? decoded->bytes : 1)};
  rest_.remove_prefix(character.bytes.size());
  if (decoded) {
    const char32_t code = decoded->value;
    const Property& property = PropertyOf(code);
    character.code = code;
    character.safe = !IsControl(property) && (!IsInvisible(property) || IsNeeded(code));
    character.space = IsSpace(code, property);
    character.columns = Columns(code, property);
    character.joined = last_ && !utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(*last_),
                                                                  static_cast<utf8proc_int32_t>(code), &break_state_);
  }
  Remember(character);
  return character;
}

// Fast path for most texts without tables.
Character CharacterReader::NextAscii() {
  const char32_t code = static_cast<unsigned char>(rest_.front());
  const Character character{
      .bytes = rest_.substr(0, 1), .code = code, .safe = true, .space = code == ' ', .columns = 1};
  *this = CharacterReader(rest_.substr(1));
  last_ = code;
  return character;
}

std::string_view CharacterReader::TakeAscii() {
  const auto end = std::ranges::find_if(rest_, [](char byte) { return byte < ' ' || byte > '~'; });
  const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  if (taken.empty()) return taken;
  *this = CharacterReader(rest_.substr(taken.size()));
  last_ = static_cast<unsigned char>(taken.back());
  return taken;
}

// Of something invisible, whether the writing of its neighbours needs it.
bool CharacterReader::IsNeeded(char32_t code) const {
  constexpr char32_t kKeycap = 0x20e3;
  const auto next = DecodeUtf8(rest_);
  if (IsJoiner(code)) return last_joins_ && next && Joins(next->value, PropertyOf(next->value));
  if (!IsVariationSelector(code)) return false;
  return last_takes_selector_ || (last_ && *last_ < 0x80 && next && next->value == kKeycap);
}

void CharacterReader::Remember(const Character& character) {
  if (!character.code) {
    *this = CharacterReader(rest_);
    return;
  }
  const Property& property = PropertyOf(*character.code);
  const bool selects = character.safe && IsVariationSelector(*character.code);
  last_ = character.code;
  last_joins_ = Joins(*character.code, property) || selects;
  last_takes_selector_ = TakesSelector(*character.code, property);
}

bool IsSafeText(std::string_view text) {
  CharacterReader reader(text);
  while (const auto character = reader.Next()) {
    if (!character->safe) return false;
  }
  return true;
}

std::size_t DisplayWidth(std::string_view text) {
  CharacterReader characters(text);
  std::size_t columns = characters.TakeAscii().size();
  while (const auto character = characters.Next()) columns += character->columns + characters.TakeAscii().size();
  return columns;
}

SecretString Normalize(std::string_view text, NormalForm form) {
  const auto options = form == NormalForm::kComposed ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
  utf8proc_uint8_t* normalized = nullptr;
  const utf8proc_ssize_t size =
      ::utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                     &normalized, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | options));
  if (size < 0) return {};
  SecretString result(std::string_view(reinterpret_cast<const char*>(normalized), static_cast<std::size_t>(size)));
  ::explicit_bzero(normalized, static_cast<std::size_t>(size));
  std::free(normalized);
  return result;
}

}  // namespace turnlog
