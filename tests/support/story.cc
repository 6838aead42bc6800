#include "tests/support/story.h"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

#include "schema/event/compaction_range.h"

namespace turnlog {
namespace {

constexpr std::string_view kInterrupted = "Tool call was interrupted.";

Event Cancelled(const std::string& id) {
  InquiryResponse response{.outcome = Outcome::kCancelled, .id = {.text = id}};
  response.reason = "interrupted";
  return {.body = std::move(response)};
}

Event Asked(const std::string& id) {
  InquiryRequest request{.id = {.text = id}};
  request.source.name = "tool";
  request.question.text = "?";
  return {.body = std::move(request)};
}

// `n` makes each of them unique.
Event Compacted(std::string_view range, std::size_t n) {
  std::istringstream in{std::string(range)};
  char mark = 0;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  in >> mark >> from >> mark >> to;
  const std::string json = fmt::format(R"({{"type":"compaction","from_turn":{},"to_turn":{},"n":{}}})", from, to, n);
  return {.body = Verbatim{EventKind::kCompaction, "compaction", Json::FromTrusted(json)}};
}

Event Noted(std::size_t n) {
  return {.body =
              Verbatim{EventKind::kUnknown, "note", Json::FromTrusted(fmt::format(R"({{"type":"note","n":{}}})", n))}};
}

Event FromWord(const std::string& word, std::size_t n) {
  const std::size_t colon = word.find(':');
  const std::string what = word.substr(0, colon);
  const std::string id = colon == std::string::npos ? "" : word.substr(colon + 1);
  if (what == "T") return {};
  if (what == "CR") return {.body = ChatRequest{.content = "go on"}};
  if (what == "M") return {.body = ChatResponse{ChatPart::kMessage, "done"}};
  if (what == "Q") return {.body = ToolCallRequest{id, "tool", Json::FromTrusted("{}")}};
  if (what == "R") return {.body = ToolCallResponse{.id = id, .content = "ok"}};
  if (what == "E") return {.body = ToolCallResponse{id, std::string(kInterrupted), true, std::nullopt}};
  if (what == "I") return Asked(id);
  if (what == "A")
    return {.body = InquiryResponse{Outcome::kAnswered, {.text = id}, Json::FromTrusted("true"), {}, {}}};
  if (what == "X") return Cancelled(id);
  if (what == "?") return Noted(n);
  if (what.starts_with("C{")) return Compacted(what.substr(1), n);
  throw std::invalid_argument("no such word in a story: " + word);
}

struct ToWord {
  std::string operator()(const TurnStart&) const { return "T"; }
  std::string operator()(const ChatRequest&) const { return "CR"; }
  std::string operator()(const ChatResponse&) const { return "M"; }
  std::string operator()(const ToolCallRequest& body) const { return "Q:" + body.id; }
  std::string operator()(const ToolCallResponse& body) const {
    return (body.content == kInterrupted ? "E:" : "R:") + body.id;
  }
  std::string operator()(const InquiryRequest& body) const { return "I:" + body.id.text; }
  std::string operator()(const InquiryResponse& body) const {
    return (body.outcome == Outcome::kCancelled ? "X:" : "A:") + body.id.text;
  }
  std::string operator()(const Repair&) const { return "!repair"; }
  std::string operator()(const RedactionRecord&) const { return "!redaction"; }
  std::string operator()(const Verbatim& body) const {
    if (body.tag == "note") return "?";
    const auto range = ReadCompactionRange(body.json.text());
    return range ? fmt::format("C{{{},{}}}", range->from, range->to) : "!" + body.tag;
  }
};

}  // namespace

std::vector<Event> Story(std::string_view words, std::size_t before) {
  std::vector<Event> events;
  std::istringstream in{std::string(words)};
  for (std::string word; in >> word;) {
    events.push_back(FromWord(word, before + events.size()));
    events.back().timestamp = Timestamp{static_cast<std::int64_t>(before + events.size()) * 1'000'000'000};
  }
  return events;
}

std::string ToStory(const std::vector<Event>& events) {
  std::string story;
  for (const Event& event : events) {
    if (!story.empty()) story += ' ';
    story += std::visit(ToWord(), event.body);
  }
  return story;
}

}  // namespace turnlog
