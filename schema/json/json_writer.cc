#include "schema/json/json_writer.h"

#include <array>

#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

// How a quote, backslash or control character is written after a backslash; 0: by its number.
char EscapeName(char c) {
  switch (c) {
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return c == '"' || c == '\\' ? c : '\0';
  }
}

class Escape {
 public:
  explicit Escape(char c) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (const char name = EscapeName(c); name != 0) {
      letters_ = {'\\', name};
      size_ = 2;
    } else {
      letters_ = {'\\', 'u', '0', '0', kDigits[static_cast<std::size_t>(c >> 4)], kDigits[c & 0xf]};
      size_ = letters_.size();
    }
  }
  std::string_view text() const { return {letters_.data(), size_}; }

 private:
  std::array<char, 6> letters_{};
  std::size_t size_ = 0;
};

}  // namespace

void JsonWriter::String(std::string_view text) {
  Separate();
  AppendJsonString(text, out_);
}

void JsonWriter::Raw(std::string_view json) {
  Separate();
  AppendOnOneLine(json, out_);
}

void JsonWriter::Fields(const JsonView& object) {
  if (object.empty()) return;
  JsonFields fields(object.text());
  while (fields.Next().value_or(false)) {
    Raw(fields.key()), Colon();
    Raw(fields.value());
  }
}

void AppendJsonString(std::string_view text, std::string& out) {
  out.push_back('"');
  for (;;) {
    const std::size_t special = FindJsonSpecial(text, 0);
    out.append(text.substr(0, special));
    if (special == text.size()) break;
    out.append(Escape(text[special]).text());
    text.remove_prefix(special + 1);
  }
  out.push_back('"');
}

bool IsJsonStringOf(std::string_view token, std::string_view text) {
  if (!token.starts_with('"')) return false;
  for (token.remove_prefix(1);; text.remove_prefix(1)) {
    const std::size_t same = SamePlainPrefix(text, token);
    text.remove_prefix(same);
    token.remove_prefix(same);
    if (text.empty()) return token == "\"";
    if (FindJsonSpecial(text.substr(0, 1), 0) == 1) return false;  // letters that differ
    if (const char name = EscapeName(text.front()); name != 0) {
      if (token.size() < 2 || token[0] != '\\' || token[1] != name) return false;
      token.remove_prefix(2);
      continue;
    }
    const Escape escape(text.front());
    if (!token.starts_with(escape.text())) return false;
    token.remove_prefix(escape.text().size());
  }
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
