#include "turnlog/transcript/decisions.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/try.h"
#include "schema/json/json_layout.h"
#include "transcript/responder_name.h"
#include "turnlog/edited_arguments.h"
#include "turnlog/event_walk.h"
#include "turnlog/inquiry/prompt_text.h"
#include "turnlog/open_requests.h"

namespace turnlog {
namespace {

std::string OutcomeOf(const InquiryResponseView& response, const JsonView& edited) {
  switch (response.outcome) {
    case Outcome::kAnswered: {
      std::string text = edited.empty() ? "answered: " : "edited: ";
      AppendCompact(edited.empty() ? response.answer.text() : edited.text(), text);
      return text;
    }
    case Outcome::kCancelled:
      return "cancelled: " + std::string(response.reason.value_or("unspecified"));
    case Outcome::kRedacted:
      return "answered: [redacted]";
  }
  return {};
}

class DecisionFold {
 public:
  void Add(const Record& record, const EventView& event) {
    current_ = {.seq = record.seq, .turn = record.turn, .time = event.timestamp, .rule = std::string(record.rule)};
    metadata_ = event.metadata;
    std::visit([this](const auto& body) { Body(body); }, event.body);
  }

  std::vector<Decision> Take() && { return std::move(decisions_); }

 private:
  template <class Other>
  void Body(const Other& /*body*/) {}

  void Body(const TurnStart&) {
    calls_.clear(), asked_.clear();
    open_calls_.Clear(), open_questions_.Clear();
    turn_begin_ = decisions_.size();
  }

  void Body(const ToolCallRequestView& body) {
    open_calls_.Open(body.id, calls_.size());
    calls_.push_back(std::get<ToolCallRequest>(Own({.body = body}).body));
  }

  void Body(const ToolCallResponseView& body) {
    const auto call = open_calls_.Close(body.id);
    if (!body.denied) return;
    current_.outcome = "denied";
    current_.by = ResponderName(body.denied->responder);
    if (current_.by.empty()) current_.by = "user";
    current_.reason = body.denied->reason.value_or("");
    if (call) current_.call = calls_[*call];
    decisions_.push_back(std::move(current_));
  }

  void Body(const InquiryRequestView& body) {
    open_questions_.Open(body.id.text, asked_.size());
    asked_.push_back(std::get<InquiryRequest>(Own({.body = body}).body));
  }

  void Body(const InquiryResponseView& body) {
    const auto question = open_questions_.Close(body.id.text);
    current_.inquiry = body.id.text;
    current_.outcome = OutcomeOf(body, FindEditedArguments(metadata_));
    current_.by = ResponderName(body.responder);
    if (body.outcome == Outcome::kAnswered) current_.reason = body.reason.value_or("");
    if (question) {
      current_.asked = asked_[*question];
      current_.call = CallOf(*current_.asked);
      current_.escalated_from = NosBefore(*current_.asked);
    }
    decisions_.push_back(std::move(current_));
  }

  // The last call of the turn that the id is made of. Ids of older writers begin with the call and a dot.
  std::optional<ToolCallRequest> CallOf(const InquiryRequest& asked) const {
    const auto is_about = [&](const ToolCallRequest& call) {
      return asked.id.key ? asked.id.key->tool_call == call.id : asked.id.text.starts_with(call.id + ".");
    };
    const auto found = std::ranges::find_if(calls_.rbegin(), calls_.rend(), is_about);
    return found == calls_.rend() ? std::nullopt : std::optional(*found);
  }

  // The question names the rejected answer of an assistant; an earlier attempt has a decision of its own.
  std::vector<EarlierNo> NosBefore(const InquiryRequest& asked) const {
    std::vector<EarlierNo> nos;
    if (const auto rejection = FindRejection(asked.question)) {
      nos.push_back({.by = rejection->model ? "assistant (" + *rejection->model + ")" : "assistant",
                     .reason = rejection->reason});
    }
    if (!asked.escalated_from) return nos;
    const auto earlier =
        std::ranges::find(decisions_.rbegin(), decisions_.rend() - static_cast<std::ptrdiff_t>(turn_begin_),
                          *asked.escalated_from, &Decision::inquiry);
    if (earlier == decisions_.rend() - static_cast<std::ptrdiff_t>(turn_begin_)) {
      nos.push_back({.inquiry = *asked.escalated_from});
      return nos;
    }
    nos.push_back({earlier->inquiry, earlier->by, earlier->reason.empty() ? earlier->outcome : earlier->reason});
    nos.insert(nos.end(), earlier->escalated_from.begin(), earlier->escalated_from.end());
    return nos;
  }

  Decision current_;
  JsonView metadata_;  // of the current event
  std::vector<Decision> decisions_;
  std::size_t turn_begin_ = 0;  // decisions of earlier turns
  std::vector<ToolCallRequest> calls_;
  std::vector<InquiryRequest> asked_;
  OpenRequests open_calls_, open_questions_;
};

}  // namespace

Result<std::vector<Decision>> ReadDecisions(Log& log, const ConversationId& conversation, std::vector<Damage>* damage) {
  DecisionFold fold;
  const auto cursor = TURNLOG_TRY(log.Read(conversation));
  const auto leave_out = [&](Damage found) -> Result<Walk> {
    if (damage == nullptr) return std::unexpected(Error{ErrorCode::kCorruption, ToString(found)});
    damage->push_back(std::move(found));
    return Walk::kOn;
  };
  TURNLOG_TRY(WalkItems(*cursor, [&](const Item& item) -> Result<Walk> {
    if (const auto* found = std::get_if<Damage>(&item)) return leave_out(*found);
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return Walk::kOn;
    const auto event = record->Decode();
    if (!event) return leave_out({{}, 0, 0, conversation.text(), record->seq.value, event.error().message});
    fold.Add(*record, *event);
    return Walk::kOn;
  }));
  return std::move(fold).Take();
}

}  // namespace turnlog
