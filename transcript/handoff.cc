#include "transcript/handoff.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ranges>
#include <utility>

#include "transcript/markdown_text.h"
#include "transcript/token_estimate.h"
#include "turnlog/inquiry/denials.h"

namespace turnlog {
namespace {

using Kind = TranscriptEntry::Kind;
constexpr std::uint64_t kFooterTokens = 150;  // the last lines, which say what was left out

// Renders entries. A text that is longer than the limit loses its middle.
class EntryText {
 public:
  explicit EntryText(std::size_t limit) : limit_(limit) {}

  std::string Of(const TranscriptEntry& entry) {
    switch (entry.kind) {
      case Kind::kUser:
        return Said(entry.name.empty() ? "User" : "User " + MarkdownLine(entry.name), entry.text);
      case Kind::kAssistant:
        return Said("Assistant", entry.text);
      case Kind::kReasoning:
        return Said("Assistant, reasoning", entry.text);
      case Kind::kData:
        return Said("Assistant, data", entry.text);
      case Kind::kCall:
      case Kind::kStrayResult:
        return Call(entry);
      case Kind::kQuestion:
        return Question(entry);
      case Kind::kSummary:
        return Said("Summary of earlier turns", entry.text);
    }
    return {};
  }

  std::string Shortened(const std::string& text) {
    if (text.size() <= limit_) return text;
    ++shortened_;
    const std::size_t head = FloorToCharacter(text, limit_ / 4 * 3);
    const std::size_t tail = FloorToCharacter(text, text.size() - limit_ / 4);
    return fmt::format("{}\n[... {} bytes left out ...]\n{}", text.substr(0, head), tail - head, text.substr(tail));
  }

  std::uint64_t shortened() const { return shortened_; }
  // Of texts that were not used.
  void SetShortened(std::uint64_t count) { shortened_ = count; }

 private:
  static std::size_t FloorToCharacter(std::string_view text, std::size_t at) {
    while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
    return at;
  }

  std::string Said(const std::string& title, const std::string& text) {
    return fmt::format("**{}**\n\n{}", title, Fenced(Shortened(text), "text"));
  }

  std::string Call(const TranscriptEntry& entry) {
    const std::string head = entry.kind == Kind::kCall ? fmt::format("**Tool {}**\n\n", MarkdownLine(entry.name))
                                                       : std::string("**Result without a call**\n\n");
    if (entry.result && entry.result->denied) {
      const ToolCallRequest request{entry.id, entry.name, Json::FromTrusted(entry.text.empty() ? "{}" : entry.text)};
      return head + Fenced(Shortened(RenderDeniedCall(request, *entry.result->denied)), "text");
    }
    const std::string input = entry.kind == Kind::kCall ? Fenced(Shortened(entry.text), "json") : "";
    if (!entry.result) return head + input + "No result.\n\n";
    return head + input + (entry.result->is_error ? "Error:\n\n" : "Result:\n\n") +
           Fenced(Shortened(entry.result->content), "text");
  }

  std::string Question(const TranscriptEntry& entry) {
    std::string text = entry.text;
    for (const std::string& option : entry.options) text += "\n- " + option;
    text += "\n" + entry.outcome;
    if (!entry.by.empty()) text += "\nBy: " + entry.by;
    if (!entry.note.empty()) text += "\nNote: " + entry.note;
    return fmt::format("**Question of {}**\n\n{}", MarkdownLine(entry.name), Fenced(Shortened(text), "text"));
  }

  const std::size_t limit_;
  std::uint64_t shortened_ = 0;
};

class Document {
 public:
  Document(std::string_view conversation, std::uint64_t budget)
      : budget_(budget == 0 ? kNoLimit : budget),
        // Even a text that is dense in tokens then fits into the share of a section.
        entries_(budget == 0 ? std::numeric_limits<std::size_t>::max() : budget / 4) {
    Append(fmt::format("# Handoff of {}\n\n", MarkdownLine(conversation)));
  }

  // The newest items that fit into `percent` of the budget and into what is left of it. `render`: the text of an item.
  template <class Item, class Render>
  void Section(std::string_view title, const std::vector<Item>& items, std::uint64_t percent, Render&& render) {
    if (items.empty()) return;
    const std::string head = fmt::format("## {}\n\n", title);
    std::uint64_t left = std::min(Left(), budget_ == kNoLimit ? kNoLimit : budget_ * percent / 100);
    left -= std::min(left, EstimateTokens(head));
    std::vector<std::string> texts;
    while (texts.size() < items.size()) {
      const std::uint64_t shortened = entries_.shortened();
      std::string text = render(items[items.size() - 1 - texts.size()]);
      const std::uint64_t cost = EstimateTokens(text);
      if (cost > left) {
        entries_.SetShortened(shortened);
        break;
      }
      left -= cost;
      texts.push_back(std::move(text));
    }
    left_out_ += items.size() - texts.size();
    if (texts.empty()) return;
    Append(head);
    for (const std::string& text : std::views::reverse(texts)) Append(text);
    Append("\n");
  }

  void Entries(std::string_view title, const std::vector<HandoffItem>& items, std::uint64_t percent) {
    Section(title, items, percent, [this](const HandoffItem& item) {
      const std::string of = item.conversation.empty() ? "" : " of " + MarkdownLine(item.conversation);
      return fmt::format("Turn {}{}: {}", item.turn, of, entries_.Of(item.entry));
    });
  }

  HandoffText Finish(std::string_view footer) && {
    std::string end = fmt::format("---\n\n{}", footer);
    if (left_out_ > 0) end += fmt::format(" Entries left out, the oldest of each section: {}.", left_out_);
    if (entries_.shortened() > 0) end += fmt::format(" Texts without their middle: {}.", entries_.shortened());
    const std::uint64_t tokens = used_ + EstimateTokens(end) + 20;  // this sentence
    end += fmt::format(" Tokens: {}, estimated within {} %.\n", tokens, kTokenEstimateError);
    Append(end);
    return {std::move(text_), tokens, left_out_, entries_.shortened()};
  }

 private:
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max() / 2;

  void Append(const std::string& text) {
    text_ += text;
    used_ += EstimateTokens(text);
  }
  std::uint64_t Left() const { return budget_ - std::min(budget_, used_ + kFooterTokens); }

  const std::uint64_t budget_;
  EntryText entries_;
  std::string text_;
  std::uint64_t used_ = 0, left_out_ = 0;
};

std::string FileLine(const TouchedFile& file) {
  std::string uses;
  for (const auto& [tool, count] : file.tools) {
    uses += fmt::format("{}{} {}", uses.empty() ? "" : ", ", MarkdownLine(tool), count);
  }
  return fmt::format("- {}: {}\n", MarkdownLine(file.path), uses);
}

}  // namespace

HandoffText WriteHandoff(std::string_view conversation, const Handoff& handoff, std::uint64_t budget,
                         std::string_view footer) {
  Document document(conversation, budget);
  document.Entries("Open", handoff.open, 100);
  document.Entries("Requests", handoff.requests, 25);
  document.Entries("Decisions", handoff.decisions, 15);
  document.Section("Files touched", handoff.files, 10, FileLine);
  document.Entries("Last turns", handoff.LastEntries(), 100);
  return std::move(document).Finish(footer);
}

}  // namespace turnlog
