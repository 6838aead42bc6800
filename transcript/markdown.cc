#include <fmt/format.h>

#include "transcript/markdown_text.h"
#include "transcript/page_writer.h"
#include "turnlog/inquiry/denials.h"

namespace turnlog {
namespace {

using Kind = TranscriptEntry::Kind;

// A quote keeps headings and open fences to itself.
std::string Quoted(std::string_view text) {
  std::string quoted = "> ";
  for (const char letter : EscapedMarkdown(SafeLines(text))) {
    quoted.push_back(letter);
    if (letter == '\n') quoted += "> ";
  }
  return quoted + "\n\n";
}

std::string Marks(const TranscriptEntry& entry) {
  std::string marks;
  if (!entry.rule.empty()) marks += fmt::format(" *(repaired: {})*", MarkdownLine(entry.rule));
  if (entry.redacted) marks += " *(redacted)*";
  return marks;
}

std::string Head(std::string_view title, const TranscriptEntry& entry) {
  const std::string time = entry.time ? fmt::format(" ({})", entry.time->ToRfc3339()) : "";
  return fmt::format("**{}**{}{}\n\n", title, time, Marks(entry));
}

std::string ResultOf(const TranscriptEntry& call) {
  if (!call.result) return "No result.\n\n";
  if (call.result->denied) {
    const ToolCallRequest request{call.id, call.name, Json::FromTrusted(call.text)};
    return Fenced(RenderDeniedCall(request, *call.result->denied), "text");
  }
  return (call.result->is_error ? "Error:\n\n" : "Result:\n\n") + Fenced(call.result->content, "text");
}

std::string Question(const TranscriptEntry& entry) {
  std::string text = entry.text.empty() ? "" : entry.text + "\n";
  for (const std::string& option : entry.options) text += "- " + option + "\n";
  text += entry.outcome;
  if (!entry.by.empty()) text += "\nBy: " + entry.by;
  if (!entry.note.empty()) text += "\nNote: " + entry.note;
  return Fenced(text, "text");
}

std::string Entry(const TranscriptEntry& entry) {
  switch (entry.kind) {
    case Kind::kUser:
      return Head(entry.name.empty() ? "User" : "User " + MarkdownLine(entry.name), entry) + Quoted(entry.text);
    case Kind::kAssistant:
      return Head("Assistant", entry) + Quoted(entry.text);
    case Kind::kReasoning:
      return Head("Assistant, reasoning", entry) + Quoted(entry.text);
    case Kind::kData:
      return Head("Assistant, data", entry) + Fenced(entry.text, "json");
    case Kind::kCall: {
      const bool denied = entry.result && entry.result->denied;
      const std::string head = Head("Tool " + MarkdownLine(entry.name), entry);
      return denied ? head + ResultOf(entry) : head + Fenced(entry.text, "json") + ResultOf(entry);
    }
    case Kind::kStrayResult:
      return Head("Result without a call", entry) + ResultOf(entry);
    case Kind::kQuestion:
      return Head("Question of " + MarkdownLine(entry.name), entry) + Question(entry);
    case Kind::kSummary:
      return Head("Summary of earlier turns", entry) + Quoted(entry.text);
  }
  return {};
}

class Writer final : public PageWriter {
 public:
  std::string Begin(std::string_view conversation, std::size_t, const PageLinks&) const override {
    return fmt::format("# {}\n\n", MarkdownLine(conversation));
  }
  std::string Turn(const TranscriptTurn& turn) const override {
    std::string text = turn.number == 0 ? "" : fmt::format("## Turn {}\n\n", turn.number);
    for (const TranscriptEntry& entry : turn.entries) text += Entry(entry);
    return text;
  }
  std::string End(std::string_view footer, const PageLinks&) const override {
    return fmt::format("---\n\n{}\n", footer);
  }
};

}  // namespace

std::unique_ptr<PageWriter> MarkdownWriter() { return std::make_unique<Writer>(); }

}  // namespace turnlog
