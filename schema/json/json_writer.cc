#include "schema/json/json_writer.h"

#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

void AppendEscape(char c, std::string& out) {
  constexpr std::string_view kMeanings = "\"\\\b\f\n\r\t", kNames = "\"\\bfnrt", kDigits = "0123456789abcdef";
  out.push_back('\\');
  if (const std::size_t index = kMeanings.find(c); index != std::string_view::npos) {
    out.push_back(kNames[index]);
  } else {
    out.append("u00").append(1, kDigits[static_cast<std::size_t>(c >> 4)]).append(1, kDigits[c & 0xf]);
  }
}

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
    AppendEscape(text[special], out);
    text.remove_prefix(special + 1);
  }
  out.push_back('"');
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
