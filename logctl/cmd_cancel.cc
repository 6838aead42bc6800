#include <memory>

#include "base/try.h"
#include "logctl/attending.h"
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
Attending::Replier CancelOnce(const std::string& reason) {
  return [reason, done = false](const InquiryRequest&) mutable -> Expected<PromptReply> {
    if (std::exchange(done, true)) return PromptReply{};
    return PromptReply{.kind = PromptReply::Kind::kCancel, .answer = {}, .remember = false, .reason = reason};
  };
}

CommandResult Run(Context& context, const Options& words) {
  if (words.all && words.id) return WrongUsage("give an ID or --all, not both");
  if (words.reason && words.decline) return WrongUsage("give --reason or --decline, not both");
  if (words.reason == "") return WrongUsage("--reason must not be empty");
  auto attending = TURNLOG_TRY(Attending::Open(context, words.conversation, "cancel"));
  if (!words.all) {
    const InquiryState inquiry = TURNLOG_TRY(attending.Choose(words.id));
    TURNLOG_TRY(attending.Attend(inquiry.request.id.text, "api", CancelOnce(words.Reason())));
  }
  while (words.all) {
    const auto next = attending.Next();
    if (!next) break;
    TURNLOG_TRY(attending.Attend(*next, "api", CancelOnce(words.Reason())));
  }
  return attending.Finish(context);
}

}  // namespace

Action DefineCancel(CLI::App& app) {
  auto words = std::make_shared<Options>();
  AddText(app, "CONV", words->conversation, "The conversation").Required();
  AddText(app, "ID", words->id, "The inquiry's id; not needed if only one waits");
  AddFlag(app, "--decline", words->decline, "The agent goes on without an answer; otherwise the turn is over");
  AddText(app, "--reason", words->reason, "Another reason: expired, interrupted, or any other word", "REASON");
  AddFlag(app, "--all", words->all, "All that wait");
  return [words](Context& context) { return Run(context, *words); };
}

}  // namespace turnlog
