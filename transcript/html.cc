#include <fmt/format.h>

#include "transcript/page_writer.h"
#include "turnlog/inquiry/denials.h"

namespace turnlog {
namespace {

using Kind = TranscriptEntry::Kind;

// Allows nothing but the page's own style: no script, image, frame, form or request.
constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">
)";
constexpr std::string_view kStyle = R"(<style>
body{max-width:60em;margin:2em auto;padding:0 1em;font:1em/1.5 sans-serif;color:#222;background:#fff}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3em 0;padding:.5em;background:#f4f4f4;font-size:.9em}
.said{font-family:inherit;font-size:1em;background:none;border-left:.2em solid #ccc}
.user .said{border-color:#284}.assistant .said{border-color:#148}
.question{border-left:.2em solid #a50;padding-left:.5em}.denied,.error{color:#a00}
.mark{background:#fe9;padding:0 .3em}h3,summary{font-size:1em;margin:.8em 0 .2em}time{color:#666;font-weight:normal}
</style>
)";

// Safe between tags and in quoted attributes.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char letter : SafeLines(text)) {
    switch (letter) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped.push_back(letter);
    }
  }
  return escaped;
}

// A line break after <pre> would be swallowed.
std::string Pre(std::string_view text, std::string_view kind = {}) {
  const std::string name = kind.empty() ? "" : fmt::format(" class=\"{}\"", kind);
  return fmt::format("<pre{}>\n{}</pre>\n", name, Escaped(text));
}

std::string Marks(const TranscriptEntry& entry) {
  std::string marks;
  if (entry.time) marks += fmt::format(" <time>{}</time>", entry.time->ToRfc3339());
  if (!entry.rule.empty()) marks += fmt::format(" <span class=\"mark\">repaired: {}</span>", Escaped(entry.rule));
  if (entry.redacted) marks += " <span class=\"mark\">redacted</span>";
  return marks;
}

std::string Said(std::string_view kind, const std::string& title, const TranscriptEntry& entry) {
  return fmt::format("<section class=\"{}\"><h3>{}{}</h3>\n{}</section>\n", kind, Escaped(title), Marks(entry),
                     Pre(entry.text, "said"));
}

std::string Folded(std::string_view kind, const std::string& title, const TranscriptEntry& entry,
                   const std::string& body) {
  return fmt::format("<details class=\"{}\"><summary>{}{}</summary>\n{}</details>\n", kind, Escaped(title),
                     Marks(entry), body);
}

std::string Call(const TranscriptEntry& entry) {
  if (!entry.result) return Folded("call", "Tool " + entry.name + ": no result", entry, Pre(entry.text));
  const ToolCallResponse& result = *entry.result;
  if (result.denied) {
    const ToolCallRequest request{entry.id, entry.name, Json::FromTrusted(entry.text.empty() ? "{}" : entry.text)};
    return fmt::format("<section class=\"denied\"><h3>Tool {}{}</h3>\n{}</section>\n", Escaped(entry.name),
                       Marks(entry), Pre(RenderDeniedCall(request, *result.denied)));
  }
  const std::string title = entry.kind == Kind::kCall ? "Tool " + entry.name : "Result without a call";
  const std::string input = entry.kind == Kind::kCall ? Pre(entry.text) : "";
  return Folded(result.is_error ? "call error" : "call", title + (result.is_error ? ": error" : ""), entry,
                input + Pre(result.content));
}

std::string Question(const TranscriptEntry& entry) {
  std::string text = Pre(entry.text, "said");
  for (const std::string& option : entry.options) text += fmt::format("<div>- {}</div>\n", Escaped(option));
  text +=
      fmt::format("<p><b>{}</b>{}{}</p>\n", Escaped(entry.outcome), entry.by.empty() ? "" : " by " + Escaped(entry.by),
                  entry.note.empty() ? "" : ": " + Escaped(entry.note));
  return fmt::format("<section class=\"question\"><h3>Question of {}{}</h3>\n{}</section>\n", Escaped(entry.name),
                     Marks(entry), text);
}

std::string Entry(const TranscriptEntry& entry) {
  switch (entry.kind) {
    case Kind::kUser:
      return Said("user", entry.name.empty() ? "User" : "User " + entry.name, entry);
    case Kind::kAssistant:
      return Said("assistant", "Assistant", entry);
    case Kind::kReasoning:
      return Folded("reasoning", "Assistant, reasoning", entry, Pre(entry.text, "said"));
    case Kind::kData:
      return Folded("data", "Assistant, data", entry, Pre(entry.text));
    case Kind::kCall:
    case Kind::kStrayResult:
      return Call(entry);
    case Kind::kQuestion:
      return Question(entry);
    case Kind::kSummary:
      return Said("summary", "Summary of earlier turns", entry);
  }
  return {};
}

std::string Navigation(const PageLinks& links) {
  std::string text;
  if (!links.previous.empty())
    text += fmt::format("<a href=\"./{}\" rel=\"prev\">earlier</a> ", Escaped(links.previous));
  if (!links.next.empty()) text += fmt::format("<a href=\"./{}\" rel=\"next\">later</a>", Escaped(links.next));
  return text.empty() ? "" : "<nav>" + text + "</nav>\n";
}

class Writer final : public PageWriter {
 public:
  std::string Begin(std::string_view conversation, std::size_t page, const PageLinks& links) const override {
    const std::string title = Escaped(conversation) + (page > 1 ? fmt::format(" ({})", page) : "");
    return fmt::format("{}<title>{}</title>\n{}</head><body>\n<h1>{}</h1>\n{}", kHead, title, kStyle, title,
                       Navigation(links));
  }
  std::string Turn(const TranscriptTurn& turn) const override {
    std::string text = turn.number == 0 ? "" : fmt::format("<h2 id=\"turn-{0}\">Turn {0}</h2>\n", turn.number);
    for (const TranscriptEntry& entry : turn.entries) text += Entry(entry);
    return text;
  }
  std::string End(std::string_view footer, const PageLinks& links) const override {
    const std::string note = footer.empty() ? "" : fmt::format("<footer><p>{}</p></footer>\n", Escaped(footer));
    return fmt::format("{}{}</body></html>\n", Navigation(links), note);
  }
};

}  // namespace

std::unique_ptr<PageWriter> HtmlWriter() { return std::make_unique<Writer>(); }

}  // namespace turnlog
