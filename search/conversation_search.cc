#include "search/conversation_search.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "search/matching_lines.h"
#include "turnlog/event_walk.h"

namespace turnlog {
namespace {

using Text = std::string_view;

// Events that the store writes itself may be stored in another form than they are read.
bool IsOwnKind(EventKind kind) { return kind == EventKind::kRepair || kind == EventKind::kRedaction; }

FoundEvent Describe(const Record& record, const EventView& event, std::string_view tool) {
  return {.conversation = std::string(record.conversation),
          .seq = record.seq,
          .turn = record.turn,
          .time = event.timestamp,
          .kind = record.kind,
          .tool = std::string(tool)};
}

}  // namespace

ConversationSearch::ConversationSearch(const Pattern& pattern, const SearchOptions& options,
                                       const OnFoundHere& on_found)
    : pattern_(pattern), options_(options), on_found_(on_found) {}

Status ConversationSearch::Run(Log& log, const ConversationId& conversation) {
  const auto cursor = options_.raw ? log.ReadRaw(conversation) : log.Read(conversation);
  if (!cursor && cursor.error().code == ErrorCode::kNotFound) return {};
  if (!cursor) return std::unexpected(cursor.error());
  return WalkItems(
      **cursor, [this](const Item& item) -> Result<Walk> { return TURNLOG_TRY(Visit(item)) ? Walk::kOn : Walk::kEnd; });
}

Result<bool> ConversationSearch::Visit(const Item& item) {
  if (const auto* damage = std::get_if<Damage>(&item)) return on_found_(*damage);
  if (const auto* record = std::get_if<Record>(&item)) return VisitRecord(*record);
  skipped_ = true;  // erased: nothing to search
  return true;
}

Result<bool> ConversationSearch::VisitRecord(const Record& record) {
  if (full() && after_ == 0) return false;
  ++events_;
  bytes_ += record.payload.size();
  if (std::exchange(turn_, record.turn) != record.turn) tools_.clear();
  const bool wanted = options_.kinds.empty() || std::ranges::find(options_.kinds, record.kind) != options_.kinds.end();
  const bool candidate = wanted && !full() && (IsOwnKind(record.kind) || pattern_.MayBeIn(record.payload));
  const bool context = options_.before > 0 || after_ > 0;
  if (!candidate && !context && record.kind != EventKind::kToolCallRequest) {
    skipped_ = true;
    return true;
  }
  const auto event = record.Decode();
  if (event) return VisitDecoded(record, *event, candidate);
  return on_found_(Damage{
      .conversation = std::string(record.conversation), .seq = record.seq.value, .reason = event.error().message});
}

Result<bool> ConversationSearch::VisitDecoded(const Record& record, const EventView& event, bool candidate) {
  NoteCall(event);
  const std::string_view tool = ToolOf(event);
  if (candidate && InScope(event, tool)) {
    FoundEvent found = Describe(record, event, tool);
    if (options_.lines) found.lines = MatchingLines(event, pattern_);
    if (options_.lines ? !found.lines.empty() : Matches(event, pattern_)) return GiveMatch(std::move(found));
  }
  if (after_ == 0 && options_.before == 0) {
    skipped_ = true;
    return true;
  }
  FoundEvent context = Describe(record, event, tool);
  context.match = false;
  if (auto line = FirstLine(event)) context.lines.push_back(*std::move(line));
  return GiveContext(std::move(context));
}

bool ConversationSearch::InScope(const EventView& event, std::string_view tool) const {
  if (options_.tool && *options_.tool != tool) return false;
  if (options_.since && (!event.timestamp || *event.timestamp < *options_.since)) return false;
  return !options_.until || (event.timestamp && *event.timestamp < *options_.until);
}

std::string_view ConversationSearch::ToolOf(const EventView& event) const {
  const auto called = [this](Text id) -> std::string_view {
    const auto found = tools_.find(std::string(id));
    return found == tools_.end() ? std::string_view() : found->second;
  };
  if (const auto* call = std::get_if<BasicToolCallRequest<Text>>(&event.body)) return call->name;
  if (const auto* result = std::get_if<BasicToolCallResponse<Text>>(&event.body)) return called(result->id);
  if (const auto* question = std::get_if<BasicInquiryRequest<Text>>(&event.body)) {
    return question->source.kind == SourceKind::kTool ? question->source.name : std::string_view();
  }
  const auto* answer = std::get_if<BasicInquiryResponse<Text>>(&event.body);
  return answer != nullptr && answer->id.key ? called(answer->id.key->tool_call) : std::string_view();
}

void ConversationSearch::NoteCall(const EventView& event) {
  const auto* call = std::get_if<BasicToolCallRequest<Text>>(&event.body);
  if (call != nullptr) tools_.insert_or_assign(std::string(call->id), std::string(call->name));
}

bool ConversationSearch::GiveMatch(FoundEvent event) {
  while (!before_.empty()) {
    FoundEvent context = std::move(before_.front());
    before_.pop_front();
    context.gap = std::exchange(skipped_, false);
    if (!on_found_(std::move(context))) return false;
  }
  event.gap = std::exchange(skipped_, false);
  after_ = options_.after;
  ++matches_;
  return on_found_(std::move(event));
}

bool ConversationSearch::GiveContext(FoundEvent event) {
  if (after_ > 0) {
    --after_;
    event.gap = std::exchange(skipped_, false);
    return on_found_(std::move(event));
  }
  before_.push_back(std::move(event));
  if (before_.size() > options_.before) {
    before_.pop_front();
    skipped_ = true;
  }
  return true;
}

}  // namespace turnlog
