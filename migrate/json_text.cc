#include "migrate/json_text.h"

#include <fmt/format.h>

#include <iterator>

#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

class Layout {
 public:
  Layout(bool pretty, int depth, const StringRewrite* rewrite, std::string& out)
      : pretty_(pretty), depth_(static_cast<std::size_t>(depth)), rewrite_(rewrite), out_(out) {}

  void Write(std::string_view json) {
    for (std::size_t at = SkipJsonSpace(json, 0); at < json.size(); at = SkipJsonSpace(json, at)) {
      at = WriteToken(json, at);
    }
  }

 private:
  std::size_t WriteToken(std::string_view json, std::size_t at) {
    switch (json[at]) {
      case '"':
        return WriteString(json, at, ScanJsonString(json, at).value_or(json.size()));
      case '{':
      case '[':
        return Open(json, at);
      case '}':
      case ']':
        --depth_;
        BreakLine();
        out_.push_back(json[at]);
        return at + 1;
      case ',':
        out_.push_back(',');
        BreakLine();
        return at + 1;
      case ':':
        out_ += pretty_ ? ": " : ":";
        return at + 1;
      default: {
        const std::size_t end = ScanJson(json, at).value_or(json.size());
        out_ += json.substr(at, end - at);
        return end;
      }
    }
  }

  std::size_t WriteString(std::string_view json, std::size_t at, std::size_t end) {
    const std::string_view token = json.substr(at, end - at);
    const bool is_key = json.substr(SkipJsonSpace(json, end)).starts_with(':');
    if (rewrite_ != nullptr && !is_key) {
      (*rewrite_)(token, out_);
    } else {
      out_ += token;
    }
    return end;
  }

  std::size_t Open(std::string_view json, std::size_t at) {
    out_.push_back(json[at]);
    const std::size_t next = SkipJsonSpace(json, at + 1);
    if (next < json.size() && (json[next] == '}' || json[next] == ']')) {
      out_.push_back(json[next]);
      return next + 1;
    }
    ++depth_;
    BreakLine();
    return next;
  }

  void BreakLine() {
    if (pretty_) out_.append(1, '\n').append(2 * depth_, ' ');
  }

  const bool pretty_;
  std::size_t depth_;
  const StringRewrite* rewrite_;
  std::string& out_;
};

void AppendEscape(char letter, std::string& out) {
  constexpr std::string_view kNamed = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  if (const std::size_t i = kNamed.find(letter); i != std::string_view::npos) {
    out.append(1, '\\').append(1, kNames[i]);
  } else {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(letter));
  }
}

}  // namespace

void AppendCompact(std::string_view json, std::string& out) { Layout(false, 0, nullptr, out).Write(json); }

void AppendPretty(std::string_view json, int depth, std::string& out) { Layout(true, depth, nullptr, out).Write(json); }

void AppendRewritten(std::string_view json, const StringRewrite& rewrite, std::string& out) {
  Layout(false, 0, &rewrite, out).Write(json);
}

void AppendToken(std::string_view text, std::string& out) {
  out.push_back('"');
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t special = FindJsonSpecial(text, at);
    out += text.substr(at, special - at);
    at = special;
    if (at < text.size()) AppendEscape(text[at], out);
  }
  out.push_back('"');
}

std::optional<JsonField> FindJsonField(std::string_view json, std::string_view name) {
  if (!json.starts_with('{')) return std::nullopt;
  JsonFields fields(json);
  while (fields.Next().value_or(false)) {
    if (!fields.KeyIs(name)) continue;
    const auto begin = static_cast<std::size_t>(fields.key().data() - json.data());
    return JsonField{fields.value(), begin, fields.end()};
  }
  return std::nullopt;
}

std::optional<std::string> FindJsonString(std::string_view json, std::string_view name) {
  const auto field = FindJsonField(json, name);
  if (!field || !field->value.starts_with('"')) return std::nullopt;
  return UnescapeJson(field->value);
}

}  // namespace turnlog
