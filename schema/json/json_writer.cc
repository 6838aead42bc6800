#include "schema/json/json_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"
#include "schema/json/json_letters.h"
#include "schema/json/json_string.h"

namespace turnlog {
namespace {

class Escape {
 public:
  static constexpr std::size_t kNumbered = 6;  // the length of one by its number

  explicit Escape(char c) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (const char name = JsonEscapeName(c); name != 0) {
      letters_ = {'\\', name};
      size_ = 2;
    } else {
      letters_ = {'\\', 'u', '0', '0', kDigits[static_cast<std::size_t>(c >> 4)], kDigits[c & 0xf]};
      size_ = letters_.size();
    }
  }
  std::string_view text() const { return {letters_.data(), size_}; }

 private:
  std::array<char, kNumbered> letters_{};
  std::size_t size_ = 0;
};

bool HasSpecial(std::string_view text) {
  if (text.size() < JsonLetters::kCount) return std::ranges::any_of(text, IsJsonSpecial);
  const std::size_t last = text.size() - JsonLetters::kCount;
  for (std::size_t at = 0; at < last; at += JsonLetters::kCount) {
    if (JsonLetters(text.data() + at).Special() != 0) return true;
  }
  return JsonLetters(text.data() + last).Special() != 0;
}

// How many letters escapes add to the text.
std::size_t AddedByEscapes(std::string_view text) {
  std::size_t added = 0;
  const auto add = [&](char c) { added += JsonEscapeName(c) != 0 ? 1 : Escape::kNumbered - 1; };
  std::size_t at = 0;
  for (; at + JsonLetters::kCount <= text.size(); at += JsonLetters::kCount) {
    for (std::uint32_t special = JsonLetters(text.data() + at).Special(); special != 0; special &= special - 1) {
      add(text[at + static_cast<std::size_t>(std::countr_zero(special))]);
    }
  }
  for (; at < text.size(); ++at) {
    if (IsJsonSpecial(text[at])) add(text[at]);
  }
  return added;
}

char* WriteEscape(char c, char* to) {
  const char name = JsonEscapeName(c);
  if (name == 0) return std::ranges::copy(Escape(c).text(), to).out;
  *to++ = '\\';
  *to++ = name;
  return to;
}

// REQUIRES: `to` has room for the text and what escapes add to it.
char* WriteEscaped(std::string_view text, char* to) {
  std::size_t at = 0;
  while (at + JsonLetters::kCount <= text.size()) {
    const JsonLetters letters(text.data() + at);
    letters.Store(to);
    const std::uint32_t special = letters.Special();
    const auto plain = static_cast<std::size_t>(std::countr_zero(special | 1U << JsonLetters::kCount));
    at += plain;
    to += plain;
    if (special != 0) to = WriteEscape(text[at++], to);
  }
  for (; at < text.size(); ++at) {
    if (IsJsonSpecial(text[at])) {
      to = WriteEscape(text[at], to);
    } else {
      *to++ = text[at];
    }
  }
  return to;
}

// Whether what is written for the letter is at `at`, which moves past it.
bool SkipWritten(char letter, std::string_view token, std::size_t& at) {
  if (!IsJsonSpecial(letter)) {
    ++at;
    return at <= token.size() && token[at - 1] == letter;
  }
  if (const char name = JsonEscapeName(letter); name != 0) {
    at += 2;
    return at <= token.size() && token[at - 2] == '\\' && token[at - 1] == name;
  }
  const Escape escape(letter);
  const bool same = token.substr(at).starts_with(escape.text());
  at += escape.text().size();
  return same;
}

}  // namespace

void JsonWriter::String(std::string_view text) {
  Separate();
  AppendJsonString(text, out_);
}

// In one step: keys are most of what is written of a small event.
void JsonWriter::PlainKey(std::string_view key) {
  if (depth_) return String(key), Colon();
  const bool comma = after_ == After::kItem;
  const std::size_t begin = out_.size(), size = begin + (comma ? 1 : 0) + key.size() + 3;
  out_.resize_and_overwrite(size, [&](char* text, std::size_t) {
    char* to = text + begin;
    if (comma) *to++ = ',';
    *to++ = '"';
    to += key.copy(to, key.size());
    to[0] = '"', to[1] = ':';
    return size;
  });
  after_ = After::kNothing;
}

void JsonWriter::Unsigned(std::uint64_t value) {
  std::array<char, 20> digits;
  Exactly({digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr});
}

void JsonWriter::Raw(std::string_view json) {
  Separate();
  if (depth_) return AppendPretty(json, *depth_, out_);
  AppendOnOneLine(json, out_);
}

void JsonWriter::BreakLine() { AppendLineBreak(*depth_, out_); }

void JsonWriter::Fields(const JsonView& object) {
  if (object.empty()) return;
  JsonFields fields(object.text());
  while (fields.Next().value_or(false)) {
    Raw(fields.key()), Colon();
    Raw(fields.value());
  }
}

// The text comes into `out` in one step: what is appended to it letter by letter may leave copies behind when it grows.
void AppendJsonString(std::string_view text, std::string& out) {
  const bool plain = !HasSpecial(text);
  const std::size_t begin = out.size();
  const std::size_t size = begin + text.size() + (plain ? 0 : AddedByEscapes(text)) + 2;
  if (size > out.capacity()) out.reserve(size + size / 8);  // what follows a large text does not move it
  out.resize_and_overwrite(size, [&](char* to, std::size_t) {
    to[begin] = '"';
    char* const from = to + begin + 1;
    *(plain ? from + text.copy(from, text.size()) : WriteEscaped(text, from)) = '"';
    return size;
  });
}

bool IsJsonStringOf(std::string_view token, std::string_view text) {
  if (token.size() < text.size() + 2 || token.front() != '"' || token.back() != '"') return false;
  token = token.substr(1, token.size() - 2);
  std::size_t at = 0, in_token = 0;
  while (at + JsonLetters::kCount <= text.size() && in_token + JsonLetters::kCount <= token.size()) {
    const JsonLetters letters(text.data() + at);
    const std::uint32_t ends = letters.Special() | letters.Unlike(JsonLetters(token.data() + in_token));
    const auto same = static_cast<std::size_t>(std::countr_zero(ends | 1U << JsonLetters::kCount));
    at += same;
    in_token += same;
    if (same < JsonLetters::kCount && !SkipWritten(text[at++], token, in_token)) return false;
  }
  while (at < text.size()) {
    if (!SkipWritten(text[at++], token, in_token)) return false;
  }
  return in_token == token.size();
}

void AppendOnOneLine(std::string_view json, std::string& out) {
  if (!json.contains('\n') && !json.contains('\r')) {  // the usual case, by the fastest way there is
    out.append(json);
    return;
  }
  // A line break cannot stand within a string, so it and the white space around it stand between tokens.
  for (;;) {
    const std::size_t line_break = json.find_first_of("\r\n");
    if (line_break == std::string_view::npos) break;
    const std::string_view before = json.substr(0, line_break);
    out.append(before.substr(0, before.find_last_not_of(" \t") + 1)).push_back(' ');
    json.remove_prefix(SkipJsonSpace(json, line_break));
  }
  out.append(json);
}

}  // namespace turnlog
