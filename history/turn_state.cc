#include "turnlog/turn_state.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace turnlog {
namespace {

using Text = std::string_view;

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
  last_ = seq;
  switch (event.kind()) {
    case EventKind::kTurnStart:
      StartTurn();
      break;
    case EventKind::kChatRequest:
      model_is_due_ = true;
      ended_ = false;
      break;
    case EventKind::kChatResponse:  // behind its reasoning there is more to come
      model_is_due_ = std::get<BasicChatResponse<Text>>(event.body).part == ChatPart::kReasoning;
      break;
    case EventKind::kToolCallRequest:
      OpenRequest(seq.value, std::get<BasicToolCallRequest<Text>>(event.body));
      break;
    case EventKind::kToolCallResponse:
      Close(std::get<BasicToolCallResponse<Text>>(event.body));
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

void TurnState::OpenRequest(std::uint64_t seq, const BasicToolCallRequest<Text>& request) {
  calls_.emplace(seq, OpenCall{Seq{seq}, OwnBody<ToolCallRequest>(request), {}});
  call_ids_[std::string(request.id)].push_back(seq);
  ended_ = false;
}

// What is known of the call's inquiries goes with it, but for those that still wait.
void TurnState::Close(const BasicToolCallResponse<Text>& response) {
  model_is_due_ = true;
  const auto seq = Newest(call_ids_, response.id);
  if (!seq) return;
  const auto call = calls_.find(*seq);
  for (const std::uint64_t asked : call->second.asked) {
    const auto kept = exchanges_.find(asked);
    if (kept->second.exchange.response) exchanges_.erase(kept);
  }
  calls_.erase(call);
  RemoveNewest(call_ids_, response.id);
}

void TurnState::Ask(std::uint64_t seq, const EventView& event) {
  const auto& request = std::get<BasicInquiryRequest<Text>>(event.body);
  const auto call = request.id.key ? Newest(call_ids_, request.id.key->tool_call) : std::nullopt;
  exchanges_.emplace(seq, Kept{{Seq{seq}, OwnBody<InquiryRequest>(request), std::nullopt}, call.value_or(0)});
  question_ids_[std::string(request.id.text)].push_back(seq);
  if (call) calls_.at(*call).asked.push_back(seq);
}

void TurnState::Answer(const EventView& event) {
  const auto& response = std::get<BasicInquiryResponse<Text>>(event.body);
  const auto seq = Newest(question_ids_, response.id.text);
  if (!seq) return;
  if (response.outcome == Outcome::kCancelled && response.reason == "end_turn") ended_ = true;
  RemoveNewest(question_ids_, response.id.text);
  const auto kept = exchanges_.find(*seq);
  if (calls_.contains(kept->second.call)) {
    kept->second.exchange.response = OwnBody<InquiryResponse>(response);
  } else {
    exchanges_.erase(kept);
  }
}

Activity TurnState::activity() const {
  if (!question_ids_.empty()) return Activity::kAwaitingUser;
  if (!calls_.empty()) return Activity::kRunningTools;
  return model_is_due_ && !ended_ ? Activity::kCallingModel : Activity::kIdle;
}

std::vector<const OpenCall*> TurnState::calls() const {
  std::vector<const OpenCall*> found;
  found.reserve(calls_.size());
  for (const auto& [seq, call] : calls_) found.push_back(&call);
  std::ranges::sort(found, {}, [](const OpenCall* call) { return call->seq; });
  return found;
}

std::vector<const InquiryState*> TurnState::questions() const {
  std::vector<const InquiryState*> found;
  for (const auto& [seq, kept] : exchanges_) {
    if (!kept.exchange.response) found.push_back(&kept.exchange);
  }
  std::ranges::sort(found, {}, [](const InquiryState* exchange) { return exchange->asked; });
  return found;
}

std::vector<const InquiryState*> TurnState::InquiriesOf(const OpenCall& call) const {
  std::vector<const InquiryState*> found;
  found.reserve(call.asked.size());
  for (const std::uint64_t asked : call.asked) found.push_back(&exchanges_.at(asked).exchange);
  return found;
}

const OpenCall* TurnState::FindCall(std::string_view id) const {
  const auto seq = Newest(call_ids_, id);
  return seq ? &calls_.at(*seq) : nullptr;
}

const InquiryState* TurnState::FindQuestion(std::string_view inquiry_id) const {
  const auto seq = Newest(question_ids_, inquiry_id);
  return seq ? &exchanges_.at(*seq).exchange : nullptr;
}

std::optional<std::uint64_t> TurnState::Newest(const Ids& ids, std::string_view id) {
  const auto entry = ids.find(id);
  return entry == ids.end() ? std::nullopt : std::optional(entry->second.back());
}

void TurnState::RemoveNewest(Ids& ids, std::string_view id) {
  const auto entry = ids.find(id);
  entry->second.pop_back();
  if (entry->second.empty()) ids.erase(entry);
}

}  // namespace turnlog
