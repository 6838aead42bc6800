// What the tests of the agent's side share: a log in a folder of its own, questions and calls in one word.
#pragma once

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/store/log_fixture.h"
#include "turnlog/event_json.h"
#include "turnlog/inquiry/turn_recorder.h"
#include "turnlog/load_turn_state.h"

namespace turnlog {

// JSON text that is known to be valid.
inline Json J(std::string_view text) { return Json::FromTrusted(std::string(text)); }

Question Boolean(std::string_view text = "Sure?");
Question Text(std::string_view text = "What?");
Question Secret(std::string_view text = "Password?");
Question Select(const std::vector<std::string>& values);
Question Multi(const std::vector<std::string>& values);
Question BySchema(std::string_view schema);

InquiryAttempt Asks(std::string_view call, std::string_view question_id, Question question);
ToolCallRequest Call(std::string_view id, std::string_view tool = "bash", std::string_view arguments = "{}");
GivenAnswer ByUser(std::string_view json);
GivenAnswer Remembered(std::string_view json);  // by a user, until the turn is over
GivenAnswer ByAssistant(std::string_view json, std::string_view reason);

// The JSON of every event without its time, in order.
std::vector<std::string> Events(Log& log, std::string_view conversation = "c");

class InquiryTest : public LogTest {
 protected:
  std::unique_ptr<TurnRecorder> Begin(std::string_view text = "go") {
    return Must(TurnRecorder::Begin(*log_, c_, {std::string(text), {}, {}}));
  }
  std::unique_ptr<TurnRecorder> Resume() { return Must(TurnRecorder::Resume(*log_, c_)); }
  // As a process would find the turn that came after this one was killed.
  std::unique_ptr<TurnRecorder> Crash(std::unique_ptr<TurnRecorder> recorder) {
    recorder->Suspend();  // so that it writes nothing on its way out, as a killed process does
    recorder.reset();
    ReopenAfterCrash();
    return Resume();
  }
  // The last events, without those in front.
  std::vector<std::string> Last(std::size_t count);
  // "ACTIVITY calls: ID,... questions: ID,..."
  std::string Doing() { return Doing(Must(LoadTurnState(*log_, c_))); }
  static std::string Doing(const TurnState& state);

  const ConversationId c_ = Id("c");
};

}  // namespace turnlog
