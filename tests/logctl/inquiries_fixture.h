// A conversation whose agent has left questions to be answered: the store that the commands for them work on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/logctl/logctl_test.h"
#include "turnlog/inquiry/form.h"
#include "turnlog/inquiry/turn_recorder.h"
#include "turnlog/service/wait_for_answer.h"

namespace turnlog {

inline constexpr std::string_view kFormArguments = R"({"questions":[
  {"id":"kind","text":"What?","answer_type":"select","options":[{"value":"release","description":"a version"},"outage"]},
  {"id":"version","text":"Which version?","default":"1.0","when":{"question_id":"kind","equals":"release"}},
  {"id":"until","text":"Until when?","when":{"question_id":"kind","equals":"outage"}},
  {"id":"ok","text":"Send it?","answer_type":"boolean","default":false}]})";

class InquiriesTest : public LogctlTest {
 protected:
  // In one word: "boolean", "text", "secret", ... with what is typical of each.
  static Question Of(AnswerKind kind, std::string_view text);
  static Question Select(std::string_view text, const std::vector<std::string>& values_json);

  // A turn of "c" in which tool `deploy` has made call_1 and asked these, as call_1.q1.1, call_1.q2.1, ...
  void LeaveQuestions(const std::vector<Question>& questions);
  // A turn of "c" in which the model has made call_1 with these arguments, and RunForm or AskUser has begun.
  void LeaveForm(std::string_view arguments = kFormArguments);
  void LeaveUserQuestions(std::string_view arguments);
  // The same, of the tool `deploy`, whose call_1 waits for its approval.
  void LeaveApproval(std::string_view arguments);

  // A service of the store.
  std::unique_ptr<Running> Serve();
  // An agent that waits for the secret that call_1.q1.1 asks for, through the service. It waits when this
  // returns; what it gets is there when the thread has ended.
  std::shared_ptr<const WaitedAnswer> WaitForSecret(std::thread& agent);

  // Events of "c" that contain this text, without their times.
  Strings EventsWith(const std::string& text);
  // Which files of the store have these bytes in them.
  Strings FilesWith(const std::string& bytes);

 private:
  void Leave(const ToolCallRequest& call, const std::function<void(TurnRecorder&)>& ask);
};

}  // namespace turnlog
