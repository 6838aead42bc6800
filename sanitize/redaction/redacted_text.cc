#include "sanitize/redaction/redacted_text.h"

#include <algorithm>

#include "schema/json/json_visitor.h"

namespace turnlog {
namespace {

// Copies JSON text without what is in the spans.
class SpanReplacer : public JsonVisitor {
 public:
  SpanReplacer(std::string_view json, std::span<const TextSpan> spans, std::string& out)
      : json_(json), spans_(spans), out_(out) {}

  void Key(std::size_t at, std::string_view token) { Replace({at, at + token.size()}, true); }
  void Scalar(std::size_t at, std::string_view token) { Replace({at, at + token.size()}, token.starts_with('"')); }

  // What follows the last token. If that is where the text was found to be no JSON, it is only text.
  void Finish(bool valid) {
    const std::string_view rest = json_.substr(copied_);
    valid ? out_.append(rest) : out_.append(ReplaceInText(rest, SpansOfRest()));
  }

 private:
  void Replace(TextSpan token, bool is_string) {
    const std::size_t quote = is_string ? 1 : 0;
    while (!spans_.empty() && spans_.front().begin < token.end) {
      LeaveOut({std::max(spans_.front().begin, token.begin + quote), std::min(spans_.front().end, token.end - quote)},
               token, is_string);
      if (spans_.front().end > token.end) break;  // it goes on in the next token
      spans_ = spans_.subspan(1);
    }
    Copy(token.end);
  }
  void LeaveOut(TextSpan span, TextSpan token, bool is_string) {
    if (span.begin >= span.end || copied_ >= token.end) return;
    Copy(is_string ? span.begin : token.begin);
    if (!is_string) out_.push_back('"');
    out_.append(kRedactionMark);
    if (!is_string) out_.push_back('"');
    copied_ = is_string ? span.end : token.end;
  }
  void Copy(std::size_t to) {
    out_.append(json_.substr(copied_, to - copied_));
    copied_ = to;
  }
  std::vector<TextSpan> SpansOfRest() const {
    std::vector<TextSpan> spans;
    for (const TextSpan& span : spans_) {
      const TextSpan left{std::max(span.begin, copied_) - copied_, std::max(span.end, copied_) - copied_};
      if (left.begin < left.end) spans.push_back(left);
    }
    return spans;
  }

  std::string_view json_;
  std::span<const TextSpan> spans_;
  std::string& out_;
  std::size_t copied_ = 0;
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
  SpanReplacer replacer(json, spans, out);
  const JsonEnd end = VisitValidJson(json, replacer);
  replacer.Finish(end.has_value());
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
