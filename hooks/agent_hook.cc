#include "turnlog/hooks/agent_hook.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <random>
#include <utility>

#include "base/try.h"
#include "hooks/asked_call.h"
#include "hooks/hook_event.h"
#include "hooks/session_turn.h"
#include "hooks/tool_questions.h"
#include "schema/json/json_scan.h"
#include "turnlog/inquiry/cancellation.h"
#include "turnlog/inquiry/turn_recorder.h"

namespace turnlog {
namespace {

constexpr std::array<std::pair<AgentTool, std::string_view>, 2> kTools{
    {{AgentTool::kClaudeCode, "claude-code"}, {AgentTool::kCodex, "codex"}}};

// Requests for a permission have no id of the call that they are about.
std::string NewCallId() {
  std::random_device random;
  return fmt::format("hook-{:08x}{:08x}", random(), random());
}

// At the tool's own prompt, as a hook has noticed.
Responder AtTheToolsPrompt() { return {"user", {}, {}, std::string(kViaHook), {}}; }

bool Waits(const TurnState& state, const OpenCall* call) {
  return std::ranges::any_of(state.InquiriesOf(*call), [](const InquiryState* inquiry) { return !inquiry->response; });
}

// Whether the call runs with the arguments of the event: with its own, or with those that its user has put in their
// place.
bool RunsWith(const TurnRecorder& recorder, const TurnState& state, const OpenCall& call, const Json& arguments) {
  if (AskTheSame(call.request.arguments, arguments)) return true;
  return std::ranges::any_of(state.InquiriesOf(call), [&](const InquiryState* inquiry) {
    const Json edited = recorder.FindEditedArguments(inquiry->request.id.text);
    return !edited.empty() && AskTheSame(edited, arguments);
  });
}

// The call that this is the result of: by its id, or the oldest one that is the same and may run. One that waits is
// meant only if there is no other one.
const OpenCall* FindCallOf(const TurnRecorder& recorder, const TurnState& state, const HookEvent& event) {
  if (const OpenCall* const call = state.FindCall(event.call)) return call;
  auto calls = state.calls();
  std::erase_if(calls, [&](const OpenCall* call) {
    return call->request.name != event.tool || !RunsWith(recorder, state, *call, event.arguments);
  });
  const auto found = std::ranges::find_if(calls, [&](const OpenCall* call) { return !Waits(state, call); });
  if (found != calls.end()) return *found;
  return calls.size() == 1 ? calls.front() : nullptr;
}

// The call has run, so the user has answered what still waits at the tool's own prompt.
Closing AnsweredAtTheTerminal(const InquiryState& inquiry, const HookEvent& event) {
  const Question& question = inquiry.request.question;
  const auto answer = question.answer_type.kind == AnswerKind::kBoolean ? Json::FromTrusted("true")
                                                                        : FindAnswer(event.response, question);
  Closing closing{.inquiry = inquiry.request.id.text, .answer = {}, .reason = {}};
  if (answer) {
    closing.answer = GivenAnswer{*answer, AtTheToolsPrompt(), {}, false};
  } else {
    closing.reason = cancellation::kUser;
    closing.cancelled_by = AtTheToolsPrompt();
  }
  return closing;
}

ToolResult ResultOf(const HookEvent& event) {
  const bool failed = event.name == "PostToolUseFailure";
  const std::string& response = event.response.text();
  if (failed || response.empty()) return {.content = event.text, .is_error = failed, .metadata = {}};
  return {.content = response.starts_with('"') ? UnescapeJson(response) : response, .is_error = false, .metadata = {}};
}

}  // namespace

std::optional<AgentTool> ParseAgentTool(std::string_view name) {
  const auto found = std::ranges::find(kTools, name, &std::pair<AgentTool, std::string_view>::second);
  return found == kTools.end() ? std::nullopt : std::optional(found->first);
}

std::string_view ToString(AgentTool tool) { return kTools.at(static_cast<std::size_t>(tool)).second; }

class AgentHook::Impl {
 public:
  explicit Impl(AgentHookOptions options) : options_(std::move(options)) {}

  Result<std::string> Handle(std::string_view input) {
    event_ = TURNLOG_TRY(ParseHookEvent(input));
    const Handler* const handler = FindHandler(event_.name);
    if (handler == nullptr || !(this->*handler->is_for_us)()) return std::string();
    auto log = options_.open();
    if (!log && log.error().code == ErrorCode::kNotFound) return std::string();
    if (!log) return std::unexpected(log.error());
    SessionTurn turn(**log, TURNLOG_TRY(event_.Conversation()), options_.tool, event_);
    const Handled decision = (this->*handler->handle)(turn);
    Forget();
    if (!decision) return std::unexpected(decision.error());
    return ReplyText(options_.tool, event_.name, *decision);
  }

  bool Abandon() {
    const std::scoped_lock lock(mutex_);
    abandoned_ = true;
    if (asked_ != nullptr) asked_->Abandon();
    return asked_ != nullptr;
  }

 private:
  using Handled = Result<HookDecision>;

  struct Handler {
    std::string_view event;
    bool (Impl::*is_for_us)() const;
    Handled (Impl::*handle)(SessionTurn& turn);
  };
  static const Handler* FindHandler(std::string_view event);

  bool Always() const { return true; }
  bool IsQuestion() const { return IsQuestionTool(options_.tool, event_.tool); }
  bool IsIdle() const { return event_.topic == "idle_prompt"; }

  static Handled Done(const Status& status) {
    return status ? Handled(HookDecision{}) : std::unexpected(status.error());
  }

  Handled Describe(SessionTurn& turn) { return Done(turn.Describe()); }
  Handled BeginTurn(SessionTurn& turn) { return Done(turn.Begin(event_.text)); }
  Handled EndTurn(SessionTurn& turn) { return Done(turn.End(event_.text)); }
  Handled FailTurn(SessionTurn& turn) { return Done(turn.Fail(event_.text)); }
  Handled StopTurn(SessionTurn& turn) { return Done(turn.End({})); }

  Handled FinishCall(SessionTurn& turn) {
    return Done(turn.WriteIfBegun([&](TurnRecorder& recorder) -> Status {
      const TurnState state = recorder.state();
      const OpenCall* const call = FindCallOf(recorder, state, event_);
      if (call == nullptr) return {};
      std::vector<Closing> closings;
      for (const InquiryState* inquiry : state.InquiriesOf(*call)) {
        if (!inquiry->response) closings.push_back(AnsweredAtTheTerminal(*inquiry, event_));
      }
      const ToolResult result = ResultOf(event_);
      return recorder.CloseAll(closings, call->request.id, &result);
    }));
  }

  // A request for a permission is a call of its own, whatever id it has: a yes to an earlier one is not for this one.
  Handled AskPermission(SessionTurn& turn) {
    return IsQuestion() ? AskQuestions(turn) : CallOf(turn, NewCallId()).Approve();
  }

  Handled AskQuestions(SessionTurn& turn) {
    const auto questions = ReadToolQuestions(event_.arguments);
    if (!questions) return HookDecision{};
    return CallOf(turn, event_.call.empty() ? NewCallId() : event_.call).Ask(*questions);
  }

  AskedCall& CallOf(SessionTurn& turn, std::string id) {
    ToolCallRequest call{std::move(id), event_.tool, event_.arguments};
    const std::scoped_lock lock(mutex_);
    asked_ = std::make_unique<AskedCall>(turn, options_, std::move(call));
    if (abandoned_) asked_->Abandon();
    return *asked_;
  }

  // Before the turn that it uses is gone.
  void Forget() {
    const std::scoped_lock lock(mutex_);
    asked_.reset();
  }

  const AgentHookOptions options_;
  HookEvent event_;
  std::mutex mutex_;
  bool abandoned_ = false;
  std::unique_ptr<AskedCall> asked_;
};

const AgentHook::Impl::Handler* AgentHook::Impl::FindHandler(std::string_view event) {
  static constexpr Handler kHandlers[] = {
      {"SessionStart", &Impl::Always, &Impl::Describe},
      {"UserPromptSubmit", &Impl::Always, &Impl::BeginTurn},
      {"PreToolUse", &Impl::IsQuestion, &Impl::AskQuestions},
      {"PermissionRequest", &Impl::Always, &Impl::AskPermission},
      {"PostToolUse", &Impl::Always, &Impl::FinishCall},
      {"PostToolUseFailure", &Impl::Always, &Impl::FinishCall},
      {"Notification", &Impl::IsIdle, &Impl::StopTurn},
      {"Stop", &Impl::Always, &Impl::EndTurn},
      {"StopFailure", &Impl::Always, &Impl::FailTurn},
      {"Interrupt", &Impl::Always, &Impl::StopTurn},
      {"SessionEnd", &Impl::Always, &Impl::StopTurn},
  };
  const auto* const found = std::ranges::find(kHandlers, event, &Handler::event);
  return found == std::end(kHandlers) ? nullptr : found;
}

AgentHook::AgentHook(AgentHookOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
AgentHook::~AgentHook() = default;

Result<std::string> AgentHook::Handle(std::string_view input) { return impl_->Handle(input); }
bool AgentHook::Abandon() { return impl_->Abandon(); }

}  // namespace turnlog
