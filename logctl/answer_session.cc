#include "logctl/answer_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/service/give_secret.h"
#include "turnlog/service/remote_maintenance.h"

namespace turnlog {
namespace {

std::vector<std::string> Waiting(const TurnState& state) {
  std::vector<std::string> ids;
  for (const InquiryState* inquiry : state.questions()) ids.push_back(inquiry->request.id.text);
  return ids;
}

std::optional<std::string> UserName() {
  const passwd* const user = ::getpwuid(::geteuid());
  return user == nullptr ? std::nullopt : std::optional<std::string>(user->pw_name);
}

}  // namespace

Expected<AnswerSession> AnswerSession::Open(const Context& context, const std::string& conversation,
                                            std::string_view verb) {
  auto id = TURNLOG_TRY(ParseConversation(conversation));
  auto log = TURNLOG_TRY(OpenToChange(context, verb));
  TURNLOG_TRY(FindConversation(*log, id));
  auto responder = TURNLOG_TRY(PendingInquiryResponder::Open(*log, id));
  return AnswerSession(std::move(log), std::move(id), std::move(responder));
}

Expected<InquiryState> AnswerSession::Choose(const std::optional<std::string>& id) const {
  const TurnState now = state();
  const auto waiting = now.questions();
  if (id) {
    if (const InquiryState* const found = now.FindQuestion(*id)) return *found;
    const Status waits = responder_->CheckWaits(*id);
    return Failed(waits ? "" : waits.error().message, "`logctl pending` lists the pending inquiries");
  }
  if (waiting.empty()) return Failed(fmt::format("conversation \"{}\" has no pending inquiry", conversation_.text()));
  if (waiting.size() == 1) return *waiting.front();
  return WrongUsage(fmt::format("conversation \"{}\" has {} pending inquiries", conversation_.text(), waiting.size()),
                    fmt::format("give one of these ids: {}", fmt::join(Waiting(now), ", ")));
}

std::optional<std::string> AnswerSession::Next() const {
  for (const std::string& id : Waiting(state())) {
    if (!deferred_.contains(id)) return id;
  }
  return std::nullopt;
}

Expected<void> AnswerSession::Respond(const std::string& id, std::string_view via, const Replier& reply) {
  std::optional<Failure> failure;
  const Prompter prompter = [&](const InquiryRequest& inquiry, std::string_view problem) -> Result<PromptReply> {
    if (!problem.empty()) closed_.pop_back();  // the answer was rejected
    auto replied = reply(inquiry);
    if (!replied) failure = replied.error();
    if (failure || replied->kind == PromptReply::Kind::kDeferred) {
      deferred_.insert(inquiry.id.text);
      return PromptReply{};
    }
    closed_.push_back(ClosedBy(inquiry, *replied));
    return handed_over_.contains(inquiry.id.text) ? PromptReply{} : *std::move(replied);
  };
  const Status done = responder_->Respond(id, {.user = prompter, .who = UserName(), .via = std::string(via)});
  if (failure) return std::unexpected(*std::move(failure));
  if (!handed_over_.empty()) return Reopen();
  TURNLOG_TRY(done);
  return {};
}

bool AnswerSession::hands_over_secrets() const { return IsThroughService(*log_); }

Status AnswerSession::HandOver(const std::string& id, std::string_view via, std::string_view secret) {
  TURNLOG_TRY(GiveSecret(*log_, conversation_, id, secret, {UserName(), std::string(via)}));
  handed_over_.insert(id);
  return {};
}

// The agent that has a secret goes on at once, and is then the writer of the turn.
Expected<void> AnswerSession::Reopen() {
  responder_.emplace(TURNLOG_TRY(PendingInquiryResponder::Open(*log_, conversation_)));
  handed_over_.clear();
  return {};
}

AnswerSession::Closed AnswerSession::ClosedBy(const InquiryRequest& inquiry, const PromptReply& reply) {
  if (reply.kind == PromptReply::Kind::kCancel) return {inquiry.id.text, "cancelled", reply.reason};
  const bool secret = inquiry.question.answer_type.kind == AnswerKind::kSecret;
  return {inquiry.id.text, secret ? "redacted" : "answered", {}};
}

CommandResult AnswerSession::Finish(const Context& context) {
  const TurnState now = state();
  TURNLOG_TRY(log_->Close());
  if (context.globals.json) {
    PrintJson(context, now);
  } else if (!context.globals.quiet) {
    PrintText(context, now);
  }
  return kFine;
}

void AnswerSession::PrintJson(const Context& context, const TurnState& state) const {
  JsonDocument json(context.out);
  json.Field("conversation", conversation_.text());
  json.Array("closed");
  for (const Closed& closed : closed_) {
    json.Object();
    json.Field("id", closed.id);
    json.Field("outcome", closed.outcome);
    if (!closed.reason.empty()) json.Field("reason", closed.reason);
    json.EndObject();
  }
  json.EndArray();
  json.Field("activity", ToString(state.activity()));
  json.Array("pending");
  for (const std::string& id : Waiting(state)) json.Element(id);
  json.EndArray();
}

void AnswerSession::PrintText(const Context& context, const TurnState& state) const {
  for (const Closed& closed : closed_) {
    const std::string what = closed.outcome == "redacted" ? "given, not stored" : std::string(closed.outcome);
    const std::string reason = closed.reason.empty() ? "" : fmt::format(" ({})", Printable(closed.reason));
    context.out.Write(fmt::format("{}: {}{}\n", Printable(closed.id), what, reason));
  }
  if (closed_.empty()) context.out.Write("nothing was recorded\n");
  const std::size_t waiting = state.questions().size();
  const std::string more = waiting == 0 ? "" : fmt::format(", {} pending", Thousands(waiting));
  context.out.Write(fmt::format("{}: {}{}\n", Printable(conversation_.text()), ActivityText(state.activity()), more));
}

std::string_view ActivityText(Activity activity) {
  switch (activity) {
    case Activity::kIdle:
      return "idle";
    case Activity::kCallingModel:
      return "calling the model";
    case Activity::kRunningTools:
      return "running tools";
    case Activity::kAwaitingUser:
      return "awaiting the user";
  }
  return {};
}

}  // namespace turnlog
