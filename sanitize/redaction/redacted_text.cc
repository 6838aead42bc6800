#include "sanitize/redaction/redacted_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sanitize/secrets/opaque_values.h"
#include "schema/json/json_blocks.h"
#include "schema/json/json_visitor.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

constexpr int kMaxNested = 6;  // JSON in strings of JSON, as deep as escapes are decoded

bool IsJson(std::string_view text) {
  JsonVisitor nothing;
  const JsonEnd end = VisitValidJson(text, nothing);
  return end && SkipJsonSpace(text, *end) == text.size();
}

// Whether it is an object or array, and all of it.
bool IsDocument(std::string_view text) {
  const std::size_t begin = SkipJsonSpace(text, 0);
  return begin < text.size() && (text[begin] == '{' || text[begin] == '[') && IsJson(text);
}

std::string ReplaceInJson(std::string_view json, std::span<const TextSpan> spans, const FindSpans& find, int nested);

// Numbers the keys of an object that are equal after a replacement.
class RedactedKeys {
 public:
  // What to add to a key that has the mark.
  std::string Suffix(std::string_view key) {
    std::string suffix;
    for (int number = 2; !keys_.insert(std::string(key) + suffix).second; ++number) {
      number = std::max(number, next_[std::string(key)]);
      suffix = "#" + std::to_string(number);
      next_[std::string(key)] = number + 1;
    }
    return suffix;
  }

 private:
  std::set<std::string> keys_;
  std::map<std::string, int> next_;
};

// Copies JSON text without what is in the spans.
class SpanReplacer : public JsonVisitor {
 public:
  SpanReplacer(std::string_view json, std::span<const TextSpan> spans, const FindSpans& find, int nested,
               std::string& out)
      : json_(json), spans_(spans), find_(find), nested_(nested), out_(out) {}

  void Open(std::size_t, bool) { objects_.emplace_back(); }
  void Close(std::size_t, bool) { objects_.pop_back(); }
  void Key(std::size_t at, std::string_view token) {
    Copy(at);
    const std::size_t begin = out_.size();
    Replace({at, at + token.size()}, true);
    const std::string_view key = std::string_view(out_).substr(begin + 1, out_.size() - begin - 2);
    if (key.contains(kRedactionMark)) out_.insert(out_.size() - 1, objects_.back().Suffix(key));
  }
  void Scalar(std::size_t at, std::string_view token) {
    const TextSpan span{at, at + token.size()};
    if (!ReplaceDocument(span, token)) Replace(span, token.starts_with('"'));
  }

  void Finish() { out_.append(json_.substr(copied_)); }

 private:
  // A string that is JSON itself stays JSON.
  bool ReplaceDocument(TextSpan token, std::string_view quoted) {
    const bool touched = !spans_.empty() && spans_.front().begin < token.end && spans_.front().end > token.begin;
    if (!touched || nested_ == kMaxNested || !quoted.starts_with('"')) return false;
    std::string text = UnescapeJson(quoted);
    const std::vector<TextSpan> spans = IsDocument(text) ? find_(text) : std::vector<TextSpan>();
    if (!spans.empty()) {
      Copy(token.begin);
      std::string replaced = ReplaceInJson(text, spans, find_, nested_ + 1);
      AppendJsonString(replaced, out_);
      Wipe(replaced);
      copied_ = token.end;
      while (!spans_.empty() && spans_.front().end <= token.end) spans_ = spans_.subspan(1);
    }
    Wipe(text);
    return !spans.empty();
  }

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
    out_.append(is_string ? kRedactionMark : Neutral(json_[token.begin]));
    copied_ = is_string ? span.end : token.end;
  }
  // Of the type of the number or word that begins with this letter.
  static std::string_view Neutral(char first) {
    if (first == 'n') return "null";
    return first == 't' || first == 'f' ? "false" : "0";
  }
  void Copy(std::size_t to) {
    if (to <= copied_) return;
    out_.append(json_.substr(copied_, to - copied_));
    copied_ = to;
  }

  std::string_view json_;
  std::span<const TextSpan> spans_;
  const FindSpans& find_;
  const int nested_;
  std::string& out_;
  std::size_t copied_ = 0;
  std::vector<RedactedKeys> objects_;  // and arrays, around this
};

// Where the tokens begin of the sealed values that are to be removed. Those within a string are found again in there.
std::vector<std::size_t> FindSealed(std::string_view json, std::span<const TextSpan> spans) {
  std::vector<std::size_t> tokens;
  for (const TextSpan& span : spans) {
    const auto value = SealedAround(json, span);
    if (value && json[value->end] == '"') tokens.push_back(value->begin - 1);
  }
  return tokens;
}

// Mostly enough for the text with marks: where it grows, it leaves a copy of what it contains.
std::size_t SizeAfter(std::string_view text, std::span<const TextSpan> spans) {
  return text.size() + 2 * kRedactionMark.size() * spans.size();
}

std::string ReplaceInJson(std::string_view json, std::span<const TextSpan> spans, const FindSpans& find, int nested) {
  const std::vector<std::size_t> sealed = FindSealed(json, spans);
  if (!sealed.empty()) return WithoutBlocks(json, sealed, OuterBlock::kKeep);  // the rest is found in the next round
  std::string out;
  out.reserve(SizeAfter(json, spans));
  SpanReplacer replacer(json, spans, find, nested, out);
  (void)VisitValidJson(json, replacer);
  replacer.Finish();
  return out;
}

std::vector<TextSpan> MovedBack(std::span<const TextSpan> spans, std::size_t by) {
  std::vector<TextSpan> moved;
  moved.reserve(spans.size());
  for (const TextSpan& span : spans) moved.push_back({span.begin - by, span.end - by});
  return moved;
}

// Copies a text without what is in the spans, line by line.
class LineReplacer {
 public:
  LineReplacer(std::string_view text, std::size_t size, const FindSpans& find) : text_(text), find_(find) {
    out_.reserve(size);
  }

  // REQUIRES: `spans` begin in the same line, after those of earlier calls.
  void Replace(std::span<const TextSpan> spans) {
    const std::size_t line_break = text_.substr(copied_, spans.front().begin - copied_).rfind('\n');
    const bool whole = line_break != std::string_view::npos || copied_ == 0;
    const std::size_t begin = line_break != std::string_view::npos ? copied_ + line_break + 1 : copied_;
    const std::size_t end = EndOfLine(spans.front().begin);
    const std::string_view line = text_.substr(begin, end - begin);
    if (whole && spans.back().end <= end && IsDocument(line)) {
      Copy(begin);
      std::string replaced = ReplaceInJson(line, MovedBack(spans, begin), find_, 0);
      out_.append(replaced);
      Wipe(replaced);
      copied_ = end;
      return;
    }
    for (const TextSpan& span : spans) {
      Copy(span.begin);
      out_.append(kRedactionMark);
      copied_ = span.end;
    }
  }

  std::size_t EndOfLine(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()); }
  std::string Finish() && { return Copy(text_.size()), std::move(out_); }

 private:
  void Copy(std::size_t to) {
    out_.append(text_.substr(copied_, to - copied_));
    copied_ = to;
  }

  std::string_view text_;
  const FindSpans& find_;
  std::string out_;
  std::size_t copied_ = 0;
};

std::string ReplaceInText(std::string_view text, std::span<const TextSpan> spans, const FindSpans& find) {
  if (IsDocument(text)) return ReplaceInJson(text, spans, find, 0);
  LineReplacer replacer(text, SizeAfter(text, spans), find);
  while (!spans.empty()) {
    const std::size_t end = replacer.EndOfLine(spans.front().begin);
    const auto later = std::ranges::find_if(spans, [&](const TextSpan& span) { return span.begin >= end; });
    const auto count = static_cast<std::size_t>(later - spans.begin());
    replacer.Replace(spans.first(std::max<std::size_t>(count, 1)));
    spans = spans.subspan(std::max<std::size_t>(count, 1));
  }
  return std::move(replacer).Finish();
}

template <class ReplaceFn>
std::optional<std::string> Redact(const FindSpans& find, std::string_view text, ReplaceFn replace) {
  constexpr int kRounds = 8;  // sealed values of each level of JSON first
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

std::optional<std::string> RedactText(const FindSpans& find, std::string_view text) {
  return Redact(find, text, [&](std::string_view left, std::span<const TextSpan> spans) {
    return ReplaceInText(left, spans, find);
  });
}

std::optional<std::string> RedactJson(const FindSpans& find, std::string_view json) {
  return Redact(find, json, [&](std::string_view left, std::span<const TextSpan> spans) {
    // What an older writer kept as JSON and is none is only text.
    return IsJson(left) ? ReplaceInJson(left, spans, find, 0) : ReplaceInText(left, spans, find);
  });
}

std::optional<std::string> RedactText(const SecretMatcher& finder, std::string_view text) {
  return RedactText([&](std::string_view left) { return finder.Find(left); }, text);
}

std::optional<std::string> RedactJson(const SecretMatcher& finder, std::string_view json) {
  return RedactJson([&](std::string_view left) { return finder.Find(left); }, json);
}

}  // namespace turnlog
