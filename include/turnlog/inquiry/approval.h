// Whether the user lets a call run: a question of its own, bound to the exact arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "turnlog/inquiry/inquirer.h"
#include "turnlog/inquiry/turn_recorder.h"

namespace turnlog {

struct Approval {
  enum class Kind : std::uint8_t {
    kApproved,
    kDenied,     // the call has its result, which says so
    kCancelled,  // the user decided nothing, or no user is present: the call is open, and must not run
    kWaiting,
    kEdited,  // it may run, with other arguments than its own
  };

  Kind kind = Kind::kWaiting;
  InquiryId inquiry;                   // empty: another process has recorded the denial
  std::optional<Responder> responder;  // kApproved, kDenied, kEdited
  std::string reason;                  // kDenied, kEdited: the user's; kCancelled: cancellation.h
  Json arguments = {};                 // kEdited: what replaces those of the call. Its result is the call's
};

// Asks the user, unless that is decided already: by an earlier answer about this call, or by a permission that was
// remembered for the tool or for just these arguments. An answer that is to be remembered becomes such a permission. A
// denial and the call's result are recorded in one append, once: a call that was denied already, or is denied by
// another process meanwhile, is kDenied. Errors: of TurnRecorder::CheckOpen otherwise, and of the prompter.
// Threads: one at a time for each call.
Result<Approval> Approve(TurnRecorder& recorder, std::string_view call, const Responders& responders);

// The open call that an inquiry asks to approve, as Approve asks it now; null if it is any other question, even one
// that looks like it.
const OpenCall* CallToApprove(const TurnState& state, const InquiryState& inquiry);
const OpenCall* CallToApprove(const TurnState&& state, const InquiryState& inquiry) = delete;

// Whether these may replace the arguments of the call: they are an object, and differ. kInvalidArgument otherwise, and
// if there is no call that waits for its approval (null).
Status CheckEditedArguments(const ToolCallRequest* call, const Json& arguments);

// A decision about a call, for calls with the same arguments until the turn is over: what Approve records when an
// answer is to be remembered.
Status RememberDecision(TurnRecorder& recorder, const ToolCallRequest& call, Permission permission,
                        const Responder& user, const std::optional<std::string>& reason);

// Whether the event gives an answer or a permission: who may write it may approve calls.
bool IsDecision(const EventView& event);

}  // namespace turnlog
