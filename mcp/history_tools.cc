#include "mcp/history_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/try.h"
#include "mcp/history_text.h"
#include "search/pattern.h"
#include "transcript/turn_reader.h"
#include "turnlog/event_walk.h"
#include "turnlog/search.h"
#include "turnlog/transcript/decisions.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kUsualTokens = 4000, kMostTokens = 50'000;

// Every tool has it; the last argument that is taken.
Result<HistoryText> TextFor(ToolCall& call) {
  const auto tokens = TURNLOG_TRY(call.arguments.Number("max_tokens", kUsualTokens, kMostTokens));
  TURNLOG_TRY(call.arguments.Finish());
  return HistoryText(tokens);
}

// What is read of a conversation, as entries.
class EntryReader {
 public:
  explicit EntryReader(ToolCall& call) : reader_(call.filter), damage_(call.damage) {}

  Status Read(Cursor& cursor) {
    TURNLOG_TRY(WalkItems(cursor, [&](const Item& item) -> Result<Walk> {
      ++events_;
      if (const auto* damage = std::get_if<Damage>(&item)) Add(*damage);
      if (const auto* record = std::get_if<Record>(&item)) Add(*record);
      return Walk::kOn;
    }));
    Flush(false);
    return {};
  }

  const std::vector<TranscriptEntry>& entries() const { return entries_; }
  Seq last() const { return last_; }
  std::uint64_t events() const { return events_; }  // those that are damaged included

 private:
  void Add(const Damage& damage) {
    damage_.Add(damage);
    if (damage.seq != 0) last_ = Seq{damage.seq};
  }

  void Add(const Record& record) {
    if (!record.inserted) last_ = record.seq;
    const auto event = record.Decode();
    if (!event) {
      damage_.Add({{}, 0, 0, std::string(record.conversation), record.seq.value, event.error().message});
      return;
    }
    if (event->kind() == EventKind::kTurnStart) Flush(true);
    reader_.Add(record, *event);
  }

  void Flush(bool over) {
    for (TranscriptEntry& entry : reader_.Take(over).entries) entries_.push_back(std::move(entry));
  }

  TurnReader reader_;
  DamageNotes& damage_;
  std::vector<TranscriptEntry> entries_;
  Seq last_;
  std::uint64_t events_ = 0;
};

// --- conversations ---

Result<std::vector<ConversationInfo>> AllConversations(Log& log, std::string_view part) {
  constexpr std::size_t kPage = 4096;
  std::vector<ConversationInfo> all;
  for (std::string after;;) {
    std::vector<ConversationInfo> page = TURNLOG_TRY(log.List(after, kPage));
    if (page.empty()) break;
    after = page.back().id;
    std::ranges::copy_if(page, std::back_inserter(all),
                         [&](const ConversationInfo& info) { return info.id.contains(part); });
  }
  std::ranges::sort(all, std::ranges::greater(), &ConversationInfo::last_time);
  return all;
}

Result<std::string> ListConversations(ToolCall& call) {
  const auto part = TURNLOG_TRY(call.arguments.Text("contains"));
  const auto limit = TURNLOG_TRY(call.arguments.Number("limit", 50, 1000));
  const auto skip = TURNLOG_TRY(call.arguments.Number("skip", 0, UINT64_MAX));
  HistoryText text = TURNLOG_TRY(TextFor(call));
  const auto all = TURNLOG_TRY(AllConversations(call.log, part.value_or("")));
  std::uint64_t shown = 0;
  for (std::uint64_t i = skip; i < all.size() && shown < limit; ++i) {
    const ConversationInfo& info = all[i];
    const std::string time = info.last_time ? ", last " + info.last_time->ToRfc3339() : "";
    if (!text.Add(fmt::format("{}: {} turns, {} events{}", info.id, info.turns, info.last.value, time))) break;
    ++shown;
  }
  return std::move(text).Take(fmt::format("{} of {} conversations, the latest first.", shown, all.size()));
}

// --- read ---

Result<std::string> ReadConversation(ToolCall& call) {
  const ConversationId conversation = TURNLOG_TRY(call.arguments.Conversation());
  const auto from = TURNLOG_TRY(call.arguments.Number("from", 0, UINT64_MAX));
  const auto turns = TURNLOG_TRY(call.arguments.Number("turns", 3, UINT64_MAX));
  const auto limit = TURNLOG_TRY(call.arguments.Number("limit", 200, 2000));
  HistoryText text = TURNLOG_TRY(TextFor(call));
  const auto info = TURNLOG_TRY(call.log.Info(conversation));
  TURNLOG_TRY(call.repeated.Learn(conversation, from > 0 ? std::min(Seq{from}, info.last) : info.last));
  ReadOptions options{.limit = limit};
  if (from > 0) options.from = Seq{from};
  if (from == 0) options.last_turns = turns;
  const auto cursor = TURNLOG_TRY(call.log.Read(conversation, options));
  EntryReader reader(call);
  TURNLOG_TRY(reader.Read(*cursor));
  for (const TranscriptEntry& entry : reader.entries()) {
    if (text.AddEntry(entry)) continue;
    return std::move(text).Take(fmt::format("More was left out for max_tokens: go on with from={}.", entry.seq.value));
  }
  if (reader.events() == limit && reader.last() < info.last) {
    return std::move(text).Take(fmt::format("There is more: go on with from={}.", reader.last().value + 1));
  }
  return std::move(text).Take(fmt::format("The last event of the conversation is {}.", info.last.value));
}

// --- search ---

// The heading of the event, and the lines that match when presumed secrets are left out.
Result<std::string> Excerpt(ToolCall& call, const FoundEvent& found, const Pattern& pattern) {
  constexpr std::size_t kMostLines = 8, kMostBytes = 400;
  const auto conversation = TURNLOG_TRY(ConversationId::Parse(found.conversation));
  TURNLOG_TRY(call.repeated.Learn(conversation, found.seq));
  const auto cursor = TURNLOG_TRY(call.log.Read(conversation, {.from = found.seq, .limit = 1}));
  EntryReader reader(call);
  TURNLOG_TRY(reader.Read(*cursor));
  std::string text = fmt::format("{}, turn {}: ", found.conversation, found.turn.value);
  if (reader.entries().empty()) return fmt::format("{}[{}] {}", text, found.seq.value, ToString(found.kind));
  const TranscriptEntry& entry = reader.entries().front();
  text += EntryHeading(entry);
  std::size_t lines = 0;
  pattern.ForEachLine(EntryBody(entry), [&](std::string_view line, const std::vector<MatchSpan>& matches) {
    const std::size_t match = matches.empty() ? 0 : matches.front().begin;
    const std::size_t begin = match < kMostBytes / 2 ? 0 : match - kMostBytes / 2;
    text += fmt::format("\n  {}{}{}", begin > 0 ? "..." : "", line.substr(begin, kMostBytes),
                        begin + kMostBytes < line.size() ? "..." : "");
    return ++lines < kMostLines;
  });
  return lines > 0 ? text : text + "\n  (in an id, in metadata, or in what was left out as a presumed secret)";
}

Result<std::string> Search(ToolCall& call) {
  const auto text_wanted = TURNLOG_TRY(call.arguments.Text("pattern"));
  SearchPattern wanted{.text = text_wanted.value_or("")};
  wanted.regex = TURNLOG_TRY(call.arguments.Flag("regex"));
  wanted.ignore_case = TURNLOG_TRY(call.arguments.Flag("ignore_case"));
  SearchOptions options{.lines = false};
  if (const auto conversation = TURNLOG_TRY(call.arguments.Text("conversation"))) {
    options.conversations.push_back(*conversation);
  }
  options.tool = TURNLOG_TRY(call.arguments.Text("tool"));
  options.limit = TURNLOG_TRY(call.arguments.Number("limit", 20, 200));
  HistoryText text = TURNLOG_TRY(TextFor(call));
  if (wanted.text.empty()) return std::unexpected(Error{ErrorCode::kInvalidArgument, "pattern is missing"});
  const Pattern pattern = TURNLOG_TRY(Pattern::Compile(wanted));
  std::vector<FoundEvent> found;
  const auto totals = TURNLOG_TRY(SearchStore(call.log, wanted, options, [&](std::variant<FoundEvent, Damage>&& each) {
    if (auto* const event = std::get_if<FoundEvent>(&each)) found.push_back(std::move(*event));
    if (const auto* const damage = std::get_if<Damage>(&each)) call.damage.Add(*damage);
    return true;
  }));
  for (const FoundEvent& event : found) {
    if (text.full() || !text.Add(TURNLOG_TRY(Excerpt(call, event, pattern)))) break;
  }
  return std::move(text).Take(fmt::format("{} matching events{}, in {} events searched. Tool `read` shows more of one.",
                                          totals.matches, totals.matches == options.limit ? " (the limit)" : "",
                                          totals.events));
}

// --- pending ---

Result<std::string> ListPending(ToolCall& call) {
  std::optional<ConversationId> conversation;
  if (const auto id = TURNLOG_TRY(call.arguments.Text("conversation"))) {
    conversation = TURNLOG_TRY(ConversationId::Parse(*id));
  }
  HistoryText text = TURNLOG_TRY(TextFor(call));
  const auto all = TURNLOG_TRY(call.log.Pending(conversation));
  for (const PendingInquiry& pending : all) {
    if (text.full()) break;
    const auto id = TURNLOG_TRY(ConversationId::Parse(pending.conversation));
    TURNLOG_TRY(call.repeated.Learn(id, pending.request));
    const auto cursor = TURNLOG_TRY(call.log.ReadRaw(id, {.from = pending.request, .limit = 1}));
    EntryReader reader(call);
    TURNLOG_TRY(reader.Read(*cursor));
    for (const TranscriptEntry& entry : reader.entries()) {
      (void)text.Add(fmt::format("{}: {}\n{}", pending.conversation, EntryHeading(entry), EntryBody(entry)));
    }
  }
  return std::move(text).Take(fmt::format("{} questions wait for an answer{}.", all.size(),
                                          text.full() ? "; some were left out for max_tokens" : ""));
}

// --- provenance ---

std::string DecisionText(const Decision& decision, bool is_secret, SecretFilter& filter) {
  std::string text = fmt::format("[{}] turn {}, {}", decision.seq.value, decision.turn.value,
                                 decision.inquiry.empty() ? "denied call" : decision.inquiry);
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("\n  {}: {}", name, filter.Text(value));
  };
  if (decision.asked) line("question", decision.asked->question.text);
  const bool asks = decision.asked && decision.asked->question.answer_type.kind == AnswerKind::kSecret;
  const bool hides = (asks && !filter.keeps()) || is_secret;
  line("outcome", hides && !decision.outcome.starts_with("cancelled") ? "answered: [redacted]" : decision.outcome);
  line("by", decision.by.empty() ? "not recorded" : decision.by);
  line("when", decision.time ? decision.time->ToRfc3339() : "");
  line("why", decision.reason);
  if (decision.call) {
    line("tool", fmt::format("{} (call {})", decision.call->name, decision.call->id));
    text +=
        "\n  arguments: " + (decision.call->arguments.empty() ? "{}" : filter.Json(decision.call->arguments.text()));
  }
  for (const EarlierNo& no : decision.escalated_from) line("after a no", fmt::format("{} {}", no.by, no.reason));
  return text;
}

Result<std::string> Provenance(ToolCall& call) {
  const ConversationId conversation = TURNLOG_TRY(call.arguments.Conversation());
  const auto limit = TURNLOG_TRY(call.arguments.Number("limit", 50, 1000));
  HistoryText text = TURNLOG_TRY(TextFor(call));
  std::vector<Damage> damage;
  const auto all = TURNLOG_TRY(ReadDecisions(call.log, conversation, &damage));
  for (const Damage& each : damage) call.damage.Add(each);
  const auto info = TURNLOG_TRY(call.log.Info(conversation));
  TURNLOG_TRY(call.repeated.Learn(conversation, info.last));
  std::uint64_t shown = 0;
  for (std::size_t i = all.size() - std::min<std::size_t>(limit, all.size()); i < all.size(); ++i) {
    const bool is_secret = call.filter.IsSecretAnswer(conversation.text(), all[i].seq);
    if (!text.Add(DecisionText(all[i], is_secret, call.filter))) break;
    ++shown;
  }
  return std::move(text).Take(fmt::format("{} of {} decisions.", shown, all.size()));
}

constexpr HistoryTool kTools[] = {
    {"search",
     "Search the recorded conversations of AI agents for a text. Returns the matching lines with conversation and "
     "event "
     "number.",
     R"({"type":"object","properties":{"pattern":{"type":"string","description":"the text, taken literally"},)"
     R"("regex":{"type":"boolean","description":"pattern is a regular expression of RE2"},"ignore_case":{"type":"boolean"},)"
     R"("conversation":{"type":"string","description":"only this one, or a glob with * and ?"},)"
     R"("tool":{"type":"string","description":"only calls of this tool and their results"},)"
     R"("limit":{"type":"integer","description":"events, usually 20"},"max_tokens":{"type":"integer"}},)"
     R"("required":["pattern"],"additionalProperties":false})",
     Search},
    {"conversations", "List the recorded conversations, the latest first.",
     R"({"type":"object","properties":{"contains":{"type":"string","description":"a part of the id"},)"
     R"("limit":{"type":"integer","description":"usually 50"},"skip":{"type":"integer"},"max_tokens":{"type":"integer"}},)"
     R"("additionalProperties":false})",
     ListConversations},
    {"read",
     "Read a part of a conversation: its last turns, or events from a number on. Messages, calls with their results, "
     "questions with their answers.",
     R"({"type":"object","properties":{"conversation":{"type":"string"},)"
     R"("from":{"type":"integer","description":"the number of the first event"},)"
     R"("turns":{"type":"integer","description":"without from: how many of the last turns, usually 3"},)"
     R"("limit":{"type":"integer","description":"events, usually 200"},)"
     R"("max_tokens":{"type":"integer","description":"by estimate; usually 4000"}},)"
     R"("required":["conversation"],"additionalProperties":false})",
     ReadConversation},
    {"pending", "List the questions of agents that wait for an answer of a person.",
     R"({"type":"object","properties":{"conversation":{"type":"string","description":"only this one"},)"
     R"("max_tokens":{"type":"integer"}},"additionalProperties":false})",
     ListPending},
    {"provenance",
     "Who decided what in a conversation: every answer and every refused call, with the exact arguments, the reason, "
     "and "
     "the person or model that decided.",
     R"({"type":"object","properties":{"conversation":{"type":"string"},)"
     R"("limit":{"type":"integer","description":"the last ones, usually 50"},"max_tokens":{"type":"integer"}},)"
     R"("required":["conversation"],"additionalProperties":false})",
     Provenance},
};

}  // namespace

std::span<const HistoryTool> HistoryTools() { return kTools; }

}  // namespace turnlog
