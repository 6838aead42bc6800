#include "doctor/row_data.h"

#include <algorithm>

#include "migrate/records/json_object.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

constexpr std::string_view kBytes = "\"$base64\"";

std::string_view WithoutBlanks(std::string_view text, std::string_view blanks) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

}  // namespace

RowData ReadRowData(std::string_view value) {
  if (value.starts_with('{')) return value.contains(kBytes) ? RowData::kUnclear : RowData::kObject;
  if (!IsJsonString(value)) return RowData::kNoJson;
  constexpr std::string_view kBlanks("\t\n\r \0", 5);  // some end a text at its first NUL
  const std::string unescaped = UnescapeJson(value);
  const std::string_view text = WithoutBlanks(unescaped, kBlanks);
  return text.starts_with('{') && text.ends_with('}') ? RowData::kUnclear : RowData::kNoJson;
}

std::string WithObjectOf(std::string_view row, std::string_view column) {
  std::string line(row);
  const auto object = JsonObject::Parse(line);
  const std::string_view value = object ? (*object)[column] : std::string_view();
  if (!IsJsonString(value)) return line;
  const std::string unescaped = UnescapeJson(value);
  std::string text(WithoutBlanks(unescaped, "\t\n\r "));
  if (!text.starts_with('{') || text.contains(kBytes) || FindJsonFault(text)) return line;
  std::ranges::replace(text, '\n', ' ');
  const auto begin = static_cast<std::size_t>(value.data() - line.data());
  return line.replace(begin, value.size(), text);
}

}  // namespace turnlog
