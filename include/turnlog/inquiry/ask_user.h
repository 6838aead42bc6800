// The tool `ask_user`, by which a model has a form filled in by its user (form.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "turnlog/inquiry/form.h"
#include "turnlog/inquiry/inquirer.h"
#include "turnlog/inquiry/tool_definition.h"
#include "turnlog/inquiry/turn_recorder.h"

namespace turnlog {

extern const ToolDefinition kAskUserTool;

struct FormOutcome {
  enum class Kind : std::uint8_t {
    kWaits,      // a question does
    kWrong,      // what was submitted is no form; the result says all that is wrong with it
    kDone,       // all questions that apply are answered
    kReplied,    // the user would rather say something
    kTurnEnded,  // the user wants to hear nothing more: the turn is over
    kDeclined,   // the user does not answer; the agent goes on without
    kStopped,    // by the system: no user is present, or who was to ask failed; the result is an error with the cause
  };

  Kind kind = Kind::kWaits;
  std::string content;  // the call's result; empty while a question waits
};

// Takes a call of the tool to its result, which it records; from wherever it is. kNotFound: there is no such call.
// kConflict: it has its result already. Other errors: of the recorder, and of the prompter, whose question waits then.
Result<FormOutcome> AskUser(TurnRecorder& recorder, std::string_view call, const Responders& responders);

}  // namespace turnlog
