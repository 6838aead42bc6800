#include "service/cut_event.h"

#include "base/secret_string.h"
#include "base/utf8.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"

namespace turnlog {
namespace {

constexpr std::size_t kMostText = 4000;  // not more than the page shows at once
constexpr std::size_t kMostField = std::size_t{16} << 10;

bool IsHighSurrogate(std::string_view escape) {
  return escape.size() > 3 && (escape[2] == 'd' || escape[2] == 'D') && std::string_view("89abAB").contains(escape[3]);
}

// Of the first letter of a JSON string, escaped or not.
std::size_t LetterLength(std::string_view text) {
  if (!text.starts_with('\\')) return DecodeUtf8(text).value_or(CodePoint{.bytes = 1}).bytes;
  if (text[1] != 'u') return 2;
  return IsHighSurrogate(text) ? 12 : 6;
}

void AppendCutText(std::string_view token, std::string& out) {
  if (token.size() <= kMostText) {
    out.append(token);
    return;
  }
  std::size_t end = 1;
  for (std::size_t next = end; next <= kMostText; next += LetterLength(token.substr(next))) end = next;
  out.append(token.substr(0, end)).append("\u2026\"");
}

}  // namespace

void AppendCutEvent(std::string_view event, std::string& out) {
  std::string cut;
  cut.reserve(event.size());  // so that it leaves no copy behind
  AppendRewritten(event, AppendCutText, cut);
  const std::size_t begin = out.size();
  out.push_back('{');
  std::string_view comma;
  for (JsonFields fields(cut, JsonTrust::kValid); fields.Next().value_or(false);) {
    if (fields.value().size() > kMostField || out.size() - begin > kCutEvent) continue;
    out.append(comma).append(fields.key()).append(":").append(fields.value());
    comma = ",";
  }
  out.push_back('}');
  Wipe(cut);
}

}  // namespace turnlog
