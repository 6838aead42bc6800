#include "migrate/ui_messages/tool_part.h"

#include <algorithm>
#include <array>
#include <utility>

namespace turnlog {
namespace {

using State = ToolPart::State;

constexpr std::array<std::pair<std::string_view, State>, 10> kStates{{{"input-streaming", State::kStreaming},
                                                                      {"input-available", State::kCalled},
                                                                      {"approval-requested", State::kAsked},
                                                                      {"approval-responded", State::kAnswered},
                                                                      {"output-available", State::kDone},
                                                                      {"output-error", State::kFailed},
                                                                      {"output-denied", State::kDenied},
                                                                      // of version 4
                                                                      {"partial-call", State::kStreaming},
                                                                      {"call", State::kCalled},
                                                                      {"result", State::kDone}}};

std::optional<State> StateOf(const JsonObject& part) {
  const std::string text = part.String("state").value_or("");
  const auto found = std::ranges::find(kStates, text, &std::pair<std::string_view, State>::first);
  if (found == kStates.end()) return std::nullopt;
  // A tool may give its output piece by piece.
  const bool preliminary = part.IsTrue("preliminary");
  if (found->second == State::kDone && preliminary) return State::kCalled;
  if (found->second != State::kAnswered || preliminary) return found->second;
  // What came of an approved call is there, whatever its state says.
  if (IsJsonString(part["errorText"])) return State::kFailed;
  return part["output"].empty() ? State::kAnswered : State::kDone;
}

}  // namespace

std::optional<ToolPart> ReadToolPart(const JsonObject& part) {
  constexpr std::string_view kTool = "tool-";
  const std::string type = part.String("type").value_or("");
  if (type == "tool-invocation") return ReadToolPart(part.Object("toolInvocation"));
  auto name = part.String("toolName");
  if (!name && type.starts_with(kTool)) name = type.substr(kTool.size());
  auto call = part.String("toolCallId");
  const auto state = StateOf(part);
  if (!call || !name || !state) return std::nullopt;
  const bool version4 = !part["args"].empty() || !part["result"].empty();
  return ToolPart{.call = *std::move(call),
                  .name = *std::move(name),
                  .input = part[version4 ? "args" : "input"],
                  .output = part[version4 ? "result" : "output"],
                  .error = part["errorText"],
                  .state = *state,
                  .approval = part.Object("approval")};
}

}  // namespace turnlog
