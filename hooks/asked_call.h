// A call of an agent tool that its user is asked about: whether it may run, or what the answers to its questions are.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hooks/hook_reply.h"
#include "hooks/session_turn.h"
#include "turnlog/event.h"
#include "turnlog/hooks/agent_hook.h"
#include "turnlog/inquiry/turn_recorder.h"

namespace turnlog {

// `via` of answers that were given at the tool's own prompt.
inline constexpr std::string_view kViaHook = "hook";

class AskedCall {
 public:
  // `turn` and `options` must outlive it.
  AskedCall(SessionTurn& turn, const AgentHookOptions& options, ToolCallRequest call);

  // Whether it may run, with exactly these arguments.
  Result<HookDecision> Approve();
  // REQUIRES: `questions` are those of the call.
  Result<HookDecision> Ask(const std::vector<Question>& questions);

  // Closes what waits as `interrupted`. From any thread.
  void Abandon();

 private:
  using Responses = std::vector<InquiryResponse>;

  Status RecordRequest(TurnRecorder& recorder) const;
  Status RecordQuestions(TurnRecorder& recorder, const std::vector<Question>& questions);
  void WaitFor(std::vector<std::string> inquiries);
  // Of the questions of the call, in order, until all are closed, the user ends the turn, or the time is over.
  Result<Responses> Await();
  Result<std::optional<InquiryResponse>> AwaitOne(const std::string& inquiry,
                                                  std::chrono::steady_clock::time_point end);

  Result<HookDecision> Decide(const InquiryResponse& response);
  // What the user has put in place of the call's arguments; empty if nothing.
  Result<Json> FindEdited(const InquiryResponse& response);
  Result<HookDecision> RunEdited(const Json& arguments, const InquiryResponse& response);
  Status RecordDenial(const InquiryResponse& response);
  Status Settle();
  // No answer has come. None: one has come meanwhile.
  Result<std::optional<HookDecision>> GiveUp();
  Status CloseUnanswered(TurnRecorder& recorder, const ToolResult* denial, bool& waited);
  std::vector<Closing> WaitingClosings(const TurnRecorder& recorder, std::string_view reason);

  SessionTurn& turn_;
  const AgentHookOptions& options_;
  const ToolCallRequest call_;
  std::mutex mutex_;
  std::vector<std::string> inquiries_;  // written once, before anything is waited for
  std::atomic<bool> abandoned_ = false;
};

}  // namespace turnlog
