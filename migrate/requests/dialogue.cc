#include "migrate/requests/dialogue.h"

#include <utility>

#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos; }

std::optional<Sealed> SealedOf(const EventView& event, std::string_view model) {
  auto value = FindJsonString(event.metadata.text(), "opaque");
  if (!value || value->empty()) return std::nullopt;
  return Sealed{*std::move(value), FindJsonString(event.metadata.text(), "model").value_or(std::string(model))};
}

}  // namespace

void DialogueFold::Add(const EventView& event, const Origin& origin) {
  if (const auto* request = std::get_if<ChatRequestView>(&event.body)) {
    AddRequest(*request, event.timestamp);
  } else if (const auto* response = std::get_if<ChatResponseView>(&event.body)) {
    const bool reasoning = response->part == ChatPart::kReasoning;
    ModelPart part{.kind = reasoning ? ModelPart::Kind::kReasoning : ModelPart::Kind::kText,
                   .text = std::string(response->content)};
    if (reasoning && !origin.redacted) part.sealed = SealedOf(event, origin.model);
    if (part.sealed || !IsBlank(part.text)) AddPart(std::move(part), event, origin.model);
  } else if (const auto* call = std::get_if<ToolCallRequestView>(&event.body)) {
    AddPart({.kind = ModelPart::Kind::kCall,
             .text = std::string(call->arguments.empty() ? "{}" : call->arguments.text()),
             .id = std::string(call->id),
             .name = std::string(call->name)},
            event, origin.model);
  } else if (const auto* result = std::get_if<ToolCallResponseView>(&event.body)) {
    AddResult(*result, event.timestamp, origin.inserted);
  }
}

void DialogueFold::AddRequest(const ChatRequestView& request, std::optional<Timestamp> time) {
  if (IsBlank(request.content)) return;
  if (turn_.steps.empty() || !turn_.steps.back().parts.empty()) turn_.steps.emplace_back();
  turn_.steps.back().requests.push_back({std::string(request.content), time, request.author == "harness"});
  answered_ = false;
}

// A message may go on after the results of its first calls.
void DialogueFold::AddPart(ModelPart part, const EventView& event, std::string_view model) {
  std::string message = FindJsonString(event.metadata.text(), "message_id").value_or("");
  const bool same = !message.empty() && message == message_;
  if (turn_.steps.empty() || (answered_ && !same)) {
    turn_.steps.emplace_back();
    answered_ = false;
  }
  message_ = std::move(message);
  DialogueStep& step = turn_.steps.back();
  if (part.kind == ModelPart::Kind::kCall) {
    open_.Open(part.id, calls_.size());
    calls_.push_back({turn_.steps.size() - 1, step.results.size()});
    step.results.emplace_back();
  }
  part.time = event.timestamp;
  step.parts.push_back(std::move(part));
  if (auto named = FindJsonString(event.metadata.text(), "model")) {
    step.model = *std::move(named);
  } else if (step.model.empty()) {
    step.model = model;
  }
}

void DialogueFold::AddResult(const ToolCallResponseView& response, std::optional<Timestamp> time, bool inserted) {
  const auto call = open_.Close(response.id);
  if (!call) {
    ++turn_.stray_results;
    return;
  }
  const auto [step, index] = calls_[*call];
  if (inserted) time.reset();
  turn_.steps[step].results[index] = {std::string(response.content), response.is_error, true, time};
  if (!inserted && step + 1 == turn_.steps.size()) answered_ = true;
}

TurnDialogue DialogueFold::Take() {
  TurnDialogue turn = std::exchange(turn_, {});
  for (DialogueStep& step : turn.steps) {
    for (CallResult& result : step.results) {
      if (!result.recorded) {
        result = {"Tool call was interrupted.", true, false, {}};
        ++turn.closed_calls;
      }
      if (result.is_error && IsBlank(result.content)) result.content = "The tool failed without a message.";
    }
  }
  open_.Clear();
  calls_.clear();
  message_.clear();
  answered_ = false;
  return turn;
}

}  // namespace turnlog
