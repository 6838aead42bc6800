// Answers what waits in a conversation whose agent is not running: it has left its questions to be answered later, or
// it has died. What is recorded here is what the agent finds when it comes back.
#pragma once

#include <memory>
#include <string_view>

#include "turnlog/inquiry/inquirer.h"
#include "turnlog/inquiry/turn_recorder.h"
#include "turnlog/log.h"

namespace turnlog {

class PendingInquiryResponder {
 public:
  // `log` must outlive it. kNotFound: there is no such conversation.
  static Result<PendingInquiryResponder> Open(Log& log, const ConversationId& conversation,
                                              RecorderOptions options = {});
  // Leaves open what is open.
  ~PendingInquiryResponder();
  PendingInquiryResponder(PendingInquiryResponder&&) = default;
  PendingInquiryResponder& operator=(PendingInquiryResponder&&) = delete;

  TurnState state() const { return recorder_->state(); }
  // Whether the inquiry can be answered; if not, the errors of Respond.
  Status CheckWaits(std::string_view inquiry) const { return recorder_->CheckWaits(inquiry); }

  // Prompts for an inquiry that waits, records what the user does, and takes the call that asked it as far as it goes
  // without the agent: a form asks its next question (the prompter gets that one, too, and may put it off), and a form
  // or an `ask_user_question` that is over gets its result, and so does a call that is refused. Calls of other tools
  // wait for their agent. REQUIRES: `user`
  // has a prompter.
  // kConflict: it has been closed, or its turn is over. kNotFound: it was never asked. Else errors of the recorder.
  Status Respond(std::string_view inquiry, const Responders& user);

 private:
  explicit PendingInquiryResponder(std::unique_ptr<TurnRecorder> recorder) : recorder_(std::move(recorder)) {}

  std::unique_ptr<TurnRecorder> recorder_;
};

}  // namespace turnlog
