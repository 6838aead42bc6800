#include "turnlog/inquiry/routing.h"

#include "turnlog/inquiry/cancellation.h"

namespace turnlog {
namespace {

constexpr Route kPrompt{RouteKind::kPrompt, {}};
constexpr Route kAskAssistant{RouteKind::kAskAssistant, {}};
constexpr Route kUseDefault{RouteKind::kUseDefault, {}};

constexpr Route Fail(std::string_view reason) { return {RouteKind::kFail, reason}; }

// Only a person may answer, and none is present. A default that was given for this case is not another's answer.
Route WithoutPerson(const RoutingInput& input) {
  const bool by_default = input.detached == DetachedPolicy::kDefaults && input.has_default;
  return by_default ? kUseDefault : Fail(cancellation::kNoPromptBackend);
}

Route ForUser(const RoutingInput& input) {
  if (input.attended) return kPrompt;
  const bool may_reroute = input.detached == DetachedPolicy::kAuto && !input.exclusive;
  return may_reroute ? kAskAssistant : WithoutPerson(input);
}

Route ForAssistant(const RoutingInput& input) {
  if (!input.exclusive && !input.secret) return kAskAssistant;
  if (input.target == TargetKind::kAssistant) return Fail(cancellation::kAssistantDenied);
  return input.attended ? kPrompt : WithoutPerson(input);  // the user is the one it would have come to
}

Route ForStatic(const RoutingInput& input) {
  if (!input.static_fits || (input.secret && !input.static_names_question))
    return Fail(cancellation::kInvalidStaticAnswer);
  return {RouteKind::kUseStatic, {}};
}

}  // namespace

std::optional<DetachedPolicy> ParseDetachedPolicy(std::string_view name) {
  if (name == "deny") return DetachedPolicy::kDeny;
  if (name == "defaults") return DetachedPolicy::kDefaults;
  if (name == "auto") return DetachedPolicy::kAuto;
  return std::nullopt;
}

Route DecideRoute(const RoutingInput& input) {
  const bool needs_user = input.secret && input.target != TargetKind::kStatic;
  if (needs_user && !input.attended) return Fail(cancellation::kNoPromptBackend);
  if (input.has_remembered && !input.secret) return {RouteKind::kUseRemembered, {}};
  switch (input.target) {
    case TargetKind::kUser:
      return ForUser(input);
    case TargetKind::kAssistant:
    case TargetKind::kAssistantWithEscalation:
      return ForAssistant(input);
    case TargetKind::kStatic:
      return ForStatic(input);
  }
  return Fail(cancellation::kBackendError);
}

Escalation DecideEscalation(TargetKind target, bool attended, DetachedPolicy detached, bool has_default) {
  if (target != TargetKind::kAssistantWithEscalation) return Escalation::kNone;
  if (attended) return Escalation::kPrompt;
  const bool by_default = detached == DetachedPolicy::kDefaults && has_default;
  return by_default ? Escalation::kUseDefault : Escalation::kNone;
}

}  // namespace turnlog
