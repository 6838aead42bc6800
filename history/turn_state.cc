#include "turnlog/turn_state.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace turnlog {
namespace {

// The event's body as an owned one; the rest of the event is not copied.
template <class Owned, class View>
Owned OwnBody(const View& body) {
  return std::get<Owned>(Own(EventView{.body = body}).body);
}

}  // namespace

std::string_view ToString(Activity activity) {
  switch (activity) {
    case Activity::kIdle:
      return "idle";
    case Activity::kCallingModel:
      return "calling_model";
    case Activity::kRunningTools:
      return "running_tools";
    case Activity::kAwaitingUser:
      return "awaiting_user";
  }
  return {};
}

void TurnState::Apply(Seq seq, const EventView& event) {
  last_ = std::max(last_, seq);  // events that a repair has inserted have none
  switch (event.kind()) {
    case EventKind::kTurnStart:
      StartTurn();
      break;
    case EventKind::kChatRequest:
      model_is_due_ = true;
      ended_ = false;
      break;
    case EventKind::kChatResponse:  // more comes after its reasoning
      model_is_due_ = std::get<ChatResponseView>(event.body).part == ChatPart::kReasoning;
      break;
    case EventKind::kToolCallRequest:
      OpenRequest(seq.value, std::get<ToolCallRequestView>(event.body));
      break;
    case EventKind::kToolCallResponse:
      Close(std::get<ToolCallResponseView>(event.body));
      break;
    case EventKind::kInquiryRequest:
      Ask(seq.value, event);
      break;
    case EventKind::kInquiryResponse:
      Answer(event);
      break;
    case EventKind::kConfigDelta:
    case EventKind::kCompaction:
    case EventKind::kRepair:
    case EventKind::kRedaction:
    case EventKind::kUnknown:
      break;
  }
}

void TurnState::StartTurn() {
  const Seq last = last_;
  *this = {};
  last_ = last;
}

void TurnState::OpenRequest(std::uint64_t seq, const ToolCallRequestView& request) {
  calls_.emplace(seq, OpenCall{Seq{seq}, OwnBody<ToolCallRequest>(request), {}});
  open_calls_.Open(request.id, seq);
  ended_ = false;
}

// What is known of the call's inquiries goes with it, but for those that still wait.
void TurnState::Close(const ToolCallResponseView& response) {
  model_is_due_ = true;
  const auto seq = open_calls_.Close(response.id);
  if (!seq) return;
  const auto call = calls_.find(*seq);
  for (const std::uint64_t asked : call->second.asked) {
    const auto kept = inquiries_.find(asked);
    if (kept->second.state.response) inquiries_.erase(kept);
  }
  calls_.erase(call);
}

void TurnState::Ask(std::uint64_t seq, const EventView& event) {
  const auto& request = std::get<InquiryRequestView>(event.body);
  const auto call = request.id.key ? open_calls_.Nearest(request.id.key->tool_call) : std::nullopt;
  inquiries_.emplace(seq, KeptInquiry{{Seq{seq}, OwnBody<InquiryRequest>(request), std::nullopt}, call.value_or(0)});
  open_inquiries_.Open(request.id.text, seq);
  if (call) calls_.at(*call).asked.push_back(seq);
}

void TurnState::Answer(const EventView& event) {
  const auto& response = std::get<InquiryResponseView>(event.body);
  const auto seq = open_inquiries_.Close(response.id.text);
  if (!seq) return;
  if (response.outcome == Outcome::kCancelled && response.reason == "end_turn") ended_ = true;
  const auto kept = inquiries_.find(*seq);
  if (calls_.contains(kept->second.call)) {
    kept->second.state.response = OwnBody<InquiryResponse>(response);
  } else {
    inquiries_.erase(kept);
  }
}

Activity TurnState::activity() const {
  if (!open_inquiries_.empty()) return Activity::kAwaitingUser;
  if (!calls_.empty()) return Activity::kRunningTools;
  return model_is_due_ && !ended_ ? Activity::kCallingModel : Activity::kIdle;
}

std::vector<const OpenCall*> TurnState::calls() const& {
  std::vector<const OpenCall*> found;
  found.reserve(calls_.size());
  for (const auto& [seq, call] : calls_) found.push_back(&call);
  std::ranges::sort(found, {}, [](const OpenCall* call) { return call->seq; });
  return found;
}

std::vector<const InquiryState*> TurnState::questions() const& {
  std::vector<const InquiryState*> found;
  for (const auto& [seq, kept] : inquiries_) {
    if (!kept.state.response) found.push_back(&kept.state);
  }
  std::ranges::sort(found, {}, [](const InquiryState* inquiry) { return inquiry->asked; });
  return found;
}

std::vector<const InquiryState*> TurnState::InquiriesOf(const OpenCall& call) const& {
  std::vector<const InquiryState*> found;
  found.reserve(call.asked.size());
  for (const std::uint64_t asked : call.asked) found.push_back(&inquiries_.at(asked).state);
  return found;
}

std::map<std::string, Json> TurnState::AnswersOf(const OpenCall& call) const {
  std::map<std::string, Json> answers;
  for (const InquiryState* inquiry : InquiriesOf(call)) {
    const bool answered = inquiry->response && inquiry->response->outcome == Outcome::kAnswered;
    if (answered) answers.insert_or_assign(inquiry->request.id.key->question, inquiry->response->answer);
  }
  return answers;
}

const OpenCall* TurnState::CallOf(const InquiryState& inquiry) const& {
  const auto kept = inquiries_.find(inquiry.asked.value);
  const auto call = kept == inquiries_.end() ? calls_.end() : calls_.find(kept->second.call);
  return call == calls_.end() ? nullptr : &call->second;
}

const OpenCall* TurnState::FindCall(std::string_view id) const& {
  const auto seq = open_calls_.Nearest(id);
  return seq ? &calls_.at(*seq) : nullptr;
}

const InquiryState* TurnState::FindQuestion(std::string_view inquiry_id) const& {
  const auto seq = open_inquiries_.Nearest(inquiry_id);
  return seq ? &inquiries_.at(*seq).state : nullptr;
}

}  // namespace turnlog
