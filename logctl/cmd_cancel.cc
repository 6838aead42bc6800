#include <memory>

#include "base/try.h"
#include "logctl/answer_session.h"
#include "logctl/command.h"
#include "turnlog/inquiry/cancellation.h"

namespace turnlog {
namespace {

struct Options {
  std::string conversation;
  std::optional<std::string> id;
  std::optional<std::string> reason;
  bool decline = false;
  bool all = false;

  std::string Reason() const {
    return reason.value_or(std::string(decline ? cancellation::kUser : cancellation::kEndTurn));
  }
};

// Once; what comes of it, such as the next question of a form, goes on waiting.
AnswerSession::Replier CancelOnce(const std::string& reason) {
  return [reason, done = false](const InquiryRequest&) mutable -> Expected<PromptReply> {
    if (std::exchange(done, true)) return PromptReply{};
    return PromptReply{.kind = PromptReply::Kind::kCancel, .answer = {}, .remember = false, .reason = reason};
  };
}

CommandResult Run(Context& context, const Options& options) {
  if (options.all && options.id) return WrongUsage("give an ID or --all, not both");
  if (options.reason && options.decline) return WrongUsage("give --reason or --decline, not both");
  if (options.reason == "") return WrongUsage("--reason must not be empty");
  auto session = TURNLOG_TRY(AnswerSession::Open(context, options.conversation, "cancel"));
  if (!options.all) {
    const InquiryState inquiry = TURNLOG_TRY(session.Choose(options.id));
    TURNLOG_TRY(session.Respond(inquiry.request.id.text, "api", CancelOnce(options.Reason())));
  }
  while (options.all) {
    const auto next = session.Next();
    if (!next) break;
    TURNLOG_TRY(session.Respond(*next, "api", CancelOnce(options.Reason())));
  }
  return session.Finish(context);
}

}  // namespace

Action DefineCancel(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "CONV", options->conversation, "The conversation").Required();
  AddText(app, "ID", options->id, "The inquiry's id; not needed if only one is pending");
  AddFlag(app, "--decline", options->decline, "The agent goes on without an answer; otherwise the turn is over");
  AddText(app, "--reason", options->reason, "Another reason: expired, interrupted, or any other word", "REASON");
  AddFlag(app, "--all", options->all, "All pending inquiries of the conversation");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
