#include "service/turn_summary.h"

#include <algorithm>
#include <map>
#include <variant>

#include "base/try.h"
#include "remote/object_reader.h"
#include "schema/json/json_fields.h"
#include "turnlog/event_walk.h"
#include "turnlog/inquiry/approval.h"

namespace turnlog {
namespace {

constexpr std::size_t kWords = 300;
constexpr std::uint64_t kFirst = 4;  // events among which a session is described

class Summarizer {
 public:
  void Apply(const Record& record, const EventView& event) {
    state_.Apply(record.seq, event);
    if (IsGlobal(event.kind())) return Describe(event);
    summary_.last = std::max(summary_.last, record.seq);
    summary_.error.clear();
    summary_.failed = false;
    if (const auto* request = std::get_if<ChatRequestView>(&event.body)) {
      summary_.asked = Excerpt(request->content, kWords);
    } else if (const auto* response = std::get_if<ChatResponseView>(&event.body)) {
      if (response->part == ChatPart::kMessage) Hear(*response, event.metadata);
    } else if (const auto* result = std::get_if<ToolCallResponseView>(&event.body)) {
      if (result->is_error && !result->denied) summary_.error = Excerpt(result->content, kWords);
    } else if (std::holds_alternative<InquiryRequestView>(event.body)) {
      times_[record.seq] = event.timestamp;
    }
  }

  void Hear(const ChatResponseView& message, const JsonView& metadata) {
    const auto failed = FindJsonField(metadata.text(), "failed");
    summary_.failed = failed && failed->value == "true";
    (summary_.failed ? summary_.error : summary_.said) = Excerpt(message.content, kWords);
  }

  // {"type":"config_delta","delta":{"agent","folder",...}}
  void Describe(const EventView& event) {
    const auto* verbatim = std::get_if<VerbatimView>(&event.body);
    if (verbatim == nullptr || verbatim->kind != EventKind::kConfigDelta) return;
    const auto object = ObjectReader::Parse(verbatim->json.text());
    if (!object || object->FindJson("delta").empty()) return;
    const ObjectReader delta = object->Object("delta");
    if (auto agent = delta.FindText("agent")) summary_.agent = *std::move(agent);
    if (auto folder = delta.FindText("folder")) summary_.folder = *std::move(folder);
  }

  TurnSummary Finish() && {
    summary_.activity = state_.activity();
    for (const InquiryState* inquiry : state_.questions()) {
      const OpenCall* const call = state_.CallOf(*inquiry);
      summary_.waiting.push_back({.id = inquiry->request.id.text,
                                  .seq = inquiry->asked,
                                  .call = call == nullptr ? Seq{} : call->seq,
                                  .time = times_[inquiry->asked],
                                  .approval = CallToApprove(state_, *inquiry) != nullptr});
    }
    return std::move(summary_);
  }

 private:
  TurnState state_;
  TurnSummary summary_;
  std::map<Seq, std::optional<Timestamp>> times_;
};

}  // namespace

std::string Excerpt(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return std::string(text.substr(0, bytes)) + "\xe2\x80\xa6";
}

Result<TurnSummary> SummarizeTurn(Log& log, const ConversationId& conversation) {
  Summarizer summarizer;
  const auto first = TURNLOG_TRY(log.Read(conversation, {.limit = kFirst}));
  TURNLOG_TRY(WalkEvents(*first, [&](const Record&, const EventView& event) {
    summarizer.Describe(event);
    return Result<Walk>(Walk::kOn);
  }));
  const auto cursor = TURNLOG_TRY(log.Read(conversation, {.last_turns = 1}));
  TURNLOG_TRY(WalkEvents(*cursor, [&](const Record& record, const EventView& event) {
    summarizer.Apply(record, event);
    return Result<Walk>(Walk::kOn);
  }));
  return std::move(summarizer).Finish();
}

}  // namespace turnlog
