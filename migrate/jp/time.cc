#include "migrate/jp/time.h"

#include <fmt/format.h>

#include <string>

namespace turnlog {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kBlanks = " \t\r\n";

// Moves a number of at most `max_digits` digits from `rest` to the end of `out`, padded with leading zeros.
bool TakeNumber(std::size_t max_digits, std::string_view& rest, std::string& out) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const std::size_t count = std::min(rest.substr(0, max_digits).find_first_not_of(kDigits), max_digits);
  const std::string_view digits = rest.substr(0, count);
  if (digits.empty()) return false;
  out.append(max_digits - digits.size(), '0').append(digits);
  rest.remove_prefix(digits.size());
  return true;
}

bool TakeMark(char mark, std::string_view& rest, std::string& out) {
  if (!rest.starts_with(mark)) return false;
  rest.remove_prefix(1);
  out.push_back(mark);
  return true;
}

// jp's own form as RFC 3339; empty if `text` is not of that form.
std::string ToRfc3339(std::string_view text) {
  std::string out;
  const bool date = TakeNumber(4, text, out) && TakeMark('-', text, out) && TakeNumber(2, text, out) &&
                    TakeMark('-', text, out) && TakeNumber(2, text, out);
  out.push_back('T');
  const bool clock = date && TakeNumber(2, text, out) && TakeMark(':', text, out) && TakeNumber(2, text, out) &&
                     TakeMark(':', text, out) && TakeNumber(2, text, out);
  if (!clock || text.find_first_not_of(kDigits, text.starts_with('.') ? 1 : 0) != std::string_view::npos) return {};
  return out.append(text).append("Z");
}

}  // namespace

std::optional<Timestamp> ParseJpTime(std::string_view text) {
  if (const auto time = Timestamp::ParseRfc3339(ToRfc3339(text))) return *time;
  if (const auto time = Timestamp::ParseRfc3339(text)) return *time;
  return std::nullopt;
}

std::string FormatJpTime(Timestamp time) {
  std::string text = time.ToRfc3339();
  text[text.find('T')] = ' ';
  text.pop_back();  // Z
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

}  // namespace turnlog
