#include "sanitize/redaction/redacted_text.h"

#include <algorithm>

#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

bool IsScalar(char letter) { return std::string_view("-0123456789tfn").contains(letter); }

// The end of the string, number, word, bracket, comma or space at text[begin] of valid JSON.
std::size_t EndOfToken(std::string_view json, std::size_t begin) {
  if (json[begin] == '"') return ScanJsonString(json, begin).value_or(json.size());
  if (!IsScalar(json[begin])) return begin + 1;
  return std::min(json.find_first_of(",]} \t\r\n", begin), json.size());
}

// A token with what is in [begin, end) of the text left out of it.
class TokenWriter {
 public:
  TokenWriter(std::string_view json, std::size_t begin, std::size_t end, std::string& out)
      : json_(json), end_(end), is_string_(json[begin] == '"'), out_(out), copied_(begin) {
    first_ = begin + (is_string_ ? 1 : 0);
    last_ = end - (is_string_ ? 1 : 0);
  }

  void LeaveOut(TextSpan span) {
    span = {std::max(span.begin, first_), std::min(span.end, last_)};
    if (span.begin >= span.end || (!is_string_ && !IsScalar(json_[first_]))) return;
    if (is_string_) {
      Copy(span.begin);
      out_.append(kRedactionMark);
      copied_ = span.end;
    } else if (copied_ != end_) {
      out_.append(1, '"').append(kRedactionMark).append(1, '"');
      copied_ = end_;
    }
  }

  void Finish() { Copy(end_); }

 private:
  void Copy(std::size_t to) {
    out_.append(json_.substr(copied_, to - copied_));
    copied_ = to;
  }

  std::string_view json_;
  std::size_t end_;
  bool is_string_;
  std::string& out_;
  std::size_t copied_, first_ = 0, last_ = 0;
};

using ReplaceFn = std::string (*)(std::string_view, std::span<const TextSpan>);

std::optional<std::string> Redact(const FindSpans& find, std::string_view text, ReplaceFn replace) {
  constexpr int kRounds = 4;
  std::optional<std::string> result;
  for (int round = 0; round < kRounds; ++round) {
    const std::string_view left = result ? std::string_view(*result) : text;
    const std::vector<TextSpan> spans = find(left);
    if (spans.empty()) break;
    std::string replaced = replace(left, spans);
    if (result) Wipe(*result);
    result = std::move(replaced);
  }
  return result;
}

}  // namespace

std::string ReplaceInText(std::string_view text, std::span<const TextSpan> spans) {
  std::string out;
  std::size_t copied = 0;
  for (const TextSpan& span : spans) {
    out.append(text.substr(copied, span.begin - copied)).append(kRedactionMark);
    copied = span.end;
  }
  out.append(text.substr(copied));
  return out;
}

std::string ReplaceInJson(std::string_view json, std::span<const TextSpan> spans) {
  std::string out;
  std::size_t at = 0;
  while (at < json.size() && !spans.empty()) {
    const std::size_t end = EndOfToken(json, at);
    TokenWriter token(json, at, end, out);
    while (!spans.empty() && spans.front().begin < end) {
      token.LeaveOut(spans.front());
      if (spans.front().end > end) break;  // it goes on in the next token
      spans = spans.subspan(1);
    }
    token.Finish();
    at = end;
  }
  out.append(json.substr(at));
  return out;
}

std::optional<std::string> RedactText(const FindSpans& find, std::string_view text) {
  return Redact(find, text, ReplaceInText);
}

std::optional<std::string> RedactJson(const FindSpans& find, std::string_view json) {
  return Redact(find, json, ReplaceInJson);
}

std::optional<std::string> RedactText(const SecretMatcher& finder, std::string_view text) {
  return RedactText([&](std::string_view left) { return finder.Find(left); }, text);
}

std::optional<std::string> RedactJson(const SecretMatcher& finder, std::string_view json) {
  return RedactJson([&](std::string_view left) { return finder.Find(left); }, json);
}

}  // namespace turnlog
