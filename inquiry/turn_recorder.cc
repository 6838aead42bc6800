#include "turnlog/inquiry/turn_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <set>
#include <utility>

#include "base/secret_string.h"
#include "base/try.h"
#include "inquiry/asked_questions.h"
#include "inquiry/model_message.h"
#include "inquiry/turn_writer.h"
#include "schema/json/json_writer.h"
#include "turnlog/edited_arguments.h"
#include "turnlog/inquiry/answer.h"
#include "turnlog/inquiry/approval.h"
#include "turnlog/inquiry/cancellation.h"
#include "turnlog/inquiry/denials.h"
#include "turnlog/inquiry/rejection.h"

namespace turnlog {
namespace {

using Events = TurnWriter::Events;

// The same words as the sanitizer's, so that the model's prompt cache stays valid.
constexpr std::string_view kInterruptedCall = "Tool call was interrupted.";
constexpr std::string_view kDeniedCall = "The user denied this tool call.";

std::unexpected<Error> Failure(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

Event Of(Event::Body body, Json metadata = {}) {
  return {.body = std::move(body),
          .timestamp = {},
          .event_id = {},
          .metadata = std::move(metadata),
          .extra = {},
          .source_text = {}};
}

// --- Inquiries ---

Status CheckGiven(const Question& question, const GivenAnswer& given) {
  if (question.answer_type.kind == AnswerKind::kSecret && given.responder.kind == "assistant") {
    return Failure(ErrorCode::kInvalidArgument, "a secret is not answered by the assistant");
  }
  return CheckAnswer(question.answer_type, given.answer);
}

InquiryResponse Cancelled(const InquiryId& id, std::string_view reason, const std::optional<Responder>& by = {}) {
  return {Outcome::kCancelled, id, {}, std::string(reason.empty() ? cancellation::kUnspecified : reason), by};
}

InquiryResponse Answered(const InquiryState& inquiry, const GivenAnswer& given) {
  const InquiryId& id = inquiry.request.id;
  const AnswerType& type = inquiry.request.question.answer_type;
  if (type.kind == AnswerKind::kSecret) return {Outcome::kRedacted, id, {}, {}, given.responder};
  return {Outcome::kAnswered, id, CanonicalAnswer(type, given.answer), given.reason, given.responder};
}

// The call whose arguments are edited.
Result<const OpenCall*> CheckEdit(const TurnState& state, const InquiryState& inquiry, const GivenAnswer& given) {
  const OpenCall* const call = CallToApprove(state, inquiry);
  TURNLOG_TRY(CheckEditedArguments(call == nullptr ? nullptr : &call->request, given.edited_arguments));
  if (given.remember || given.answer.text() != "false") {
    return Failure(ErrorCode::kInvalidArgument, "edited arguments hold once, and their answer is `false`");
  }
  return call;
}

Result<Event> Close(const TurnState& state, const InquiryState& inquiry, const Closing& closing) {
  if (!closing.answer) return Of(Cancelled(inquiry.request.id, closing.reason, closing.cancelled_by));
  const GivenAnswer& given = *closing.answer;
  TURNLOG_TRY(CheckGiven(inquiry.request.question, given));
  InquiryResponse response = Answered(inquiry, given);
  if (!given.edited_arguments.empty()) {
    const OpenCall* const call = TURNLOG_TRY(CheckEdit(state, inquiry, given));
    return Of(std::move(response), EditedArgumentsMetadata(call->request.name, given.edited_arguments));
  }
  const bool remember = given.remember && response.outcome == Outcome::kAnswered;
  return Of(std::move(response), remember ? RememberMark() : Json());
}

// Why an inquiry that does not wait cannot be closed.
Error NotWaiting(const TurnWriter& writer, const KnownTurn& turn, std::string_view inquiry) {
  const std::uint64_t last = turn.last.value;
  if (turn.memory.WasAsked(inquiry)) {
    return {ErrorCode::kConflict, fmt::format("inquiry {} has been closed already", inquiry), last};
  }
  const auto earlier = writer.log().FindInquiry(writer.conversation(), {.text = inquiry, .key = {}});
  if (!earlier) return earlier.error();
  if (earlier->empty()) return {ErrorCode::kNotFound, fmt::format("there is no inquiry {}", inquiry)};
  return {ErrorCode::kConflict, fmt::format("the turn in which inquiry {} was asked is over", inquiry), last};
}

std::set<std::string_view> IdsOf(std::span<const Closing> closings) {
  std::set<std::string_view> ids;
  for (const Closing& closing : closings) ids.insert(closing.inquiry);
  return ids;
}

Events CloseInquiries(const TurnWriter& writer, const KnownTurn& turn, std::span<const Closing> closings) {
  std::vector<Event> events;
  std::set<std::string_view> ids;
  for (const Closing& closing : closings) {
    const InquiryState* const inquiry = turn.state.FindQuestion(closing.inquiry);
    const bool waits = inquiry != nullptr && ids.insert(closing.inquiry).second;
    if (!waits) return std::unexpected(NotWaiting(writer, turn, closing.inquiry));
    events.push_back(TURNLOG_TRY(turnlog::Close(turn.state, *inquiry, closing)));
  }
  return events;
}

// --- Calls ---

Result<const OpenCall*> FindCall(const KnownTurn& turn, std::string_view id) {
  if (const OpenCall* const call = turn.state.FindCall(id)) return call;
  if (!turn.memory.WasCalled(id)) return Failure(ErrorCode::kNotFound, fmt::format("there is no call {}", id));
  const std::string_view what =
      turn.memory.FindDenial(id) != nullptr ? "was refused by the user" : "has its result already";
  return std::unexpected(Error{ErrorCode::kConflict, fmt::format("call {} {}", id, what), turn.last.value});
}

Denial DenialOf(const OpenCall& call, const std::optional<std::string>& reason, const Responder& user) {
  std::string extra;
  JsonWriter json(extra);
  json.StartObject();
  json.Field(kArgumentsHash, ArgumentsHash(call.request.name, call.request.arguments));
  json.EndObject();
  return {reason, user, Json::FromTrusted(std::move(extra))};
}

// REQUIRES: none of its inquiries waits but those that are being closed.
Event Finish(const KnownTurn& turn, const OpenCall& call, const ToolResult& result) {
  auto inquiries = turn.state.InquiriesOf(call);
  std::erase_if(inquiries, [&](const InquiryState* inquiry) {  // its answer is `false`, but no refusal
    return !turn.memory.FindEditedArguments(inquiry->request.id.text).empty();
  });
  std::string content = result.is_error ? ExplainToolError(result.content, inquiries) : result.content;
  return Of(ToolCallResponse{call.request.id, std::move(content), result.is_error, {}}, result.metadata);
}

// The call, if none of its inquiries waits but those in `closing`.
Result<const OpenCall*> FindFinishable(const KnownTurn& turn, std::string_view id,
                                       const std::set<std::string_view>& closing) {
  const OpenCall* const call = TURNLOG_TRY(FindCall(turn, id));
  for (const InquiryState* inquiry : turn.state.InquiriesOf(*call)) {
    if (inquiry->response || closing.contains(inquiry->request.id.text)) continue;
    return Failure(ErrorCode::kInvalidArgument,
                   fmt::format("call {} has an inquiry that waits: {}", id, inquiry->request.id.text));
  }
  return call;
}

// But for what `keep` says of an inquiry that waits, and the calls that asked those.
std::vector<Event> CloseOpen(const KnownTurn& turn, std::string_view reason,
                             const std::function<bool(const InquiryState&)>& keep) {
  std::vector<Event> events;
  for (const InquiryState* inquiry : turn.state.questions()) {
    if (!keep(*inquiry)) events.push_back(Of(Cancelled(inquiry->request.id, reason)));
  }
  for (const OpenCall* call : turn.state.calls()) {
    const auto kept = [&](const InquiryState* inquiry) { return !inquiry->response && keep(*inquiry); };
    if (std::ranges::any_of(turn.state.InquiriesOf(*call), kept)) continue;
    events.push_back(Of(ToolCallResponse{call->request.id, std::string(kInterruptedCall), true, {}}));
  }
  return events;
}

std::vector<Event> CloseEverything(const KnownTurn& turn, std::string_view reason) {
  return CloseOpen(turn, reason, [](const InquiryState&) { return false; });
}

Status CloseTurn(TurnWriter& writer, std::string_view reason, std::span<const Event> last) {
  return writer.Write(writer.options().durability, [&](const KnownTurn& turn) -> Events {
    std::vector<Event> events = CloseEverything(turn, reason);
    events.insert(events.end(), last.begin(), last.end());
    return events;
  });
}

}  // namespace

TurnRecorder::TurnRecorder(std::unique_ptr<TurnWriter> writer)
    : writer_(std::move(writer)),
      asked_(std::make_unique<AskedQuestions>()),
      exceptions_(std::uncaught_exceptions()),
      message_(writer_->With([](const KnownTurn& turn) { return turn.memory.last_message(); })) {}

Result<std::unique_ptr<TurnRecorder>> TurnRecorder::Begin(Log& log, const ConversationId& conversation,
                                                          const ChatRequest& request, RecorderOptions options) {
  auto known = LoadTurn(log, conversation);
  if (!known && known.error().code != ErrorCode::kNotFound) return std::unexpected(known.error());
  auto writer =
      std::make_unique<TurnWriter>(log, conversation, std::move(options), known ? *std::move(known) : KnownTurn());
  TURNLOG_TRY(writer->Write(writer->options().durability, [&](const KnownTurn& turn) -> Events {
    std::vector<Event> events = CloseEverything(turn, cancellation::kSuperseded);
    events.push_back(Of(TurnStart{}));
    events.push_back(Of(request));
    return events;
  }));
  return std::unique_ptr<TurnRecorder>(new TurnRecorder(std::move(writer)));
}

Result<std::unique_ptr<TurnRecorder>> TurnRecorder::Resume(Log& log, const ConversationId& conversation,
                                                           RecorderOptions options) {
  KnownTurn turn = TURNLOG_TRY(LoadTurn(log, conversation));
  return std::unique_ptr<TurnRecorder>(
      new TurnRecorder(std::make_unique<TurnWriter>(log, conversation, std::move(options), std::move(turn))));
}

TurnRecorder::~TurnRecorder() {
  const bool failing = std::uncaught_exceptions() > exceptions_;
  [[maybe_unused]] const Status closed =  // there is no caller to return an error to
      writer_->Write(writer_->options().durability, [&](const KnownTurn& turn) -> Events {
        return CloseOpen(turn, cancellation::kInterrupted, [&](const InquiryState& inquiry) {
          return turn.state.CallOf(inquiry) != nullptr && !asked_->IsLost(inquiry.request.id, failing);
        });
      });
}

void TurnRecorder::StartMessage() { ++message_; }

Status TurnRecorder::Respond(const ChatResponse& response) {
  return writer_->Write(writer_->options().durability,
                        [&](const KnownTurn&) { return Events(std::vector{Of(response, MessageMark(message_))}); });
}

Status TurnRecorder::RequestTools(std::span<const ToolCallRequest> calls) {
  return writer_->Write(writer_->options().durability, [&](const KnownTurn& turn) -> Events {
    std::vector<Event> events;
    std::set<std::string_view> ids;
    for (const ToolCallRequest& call : calls) {
      if (turn.state.FindCall(call.id) != nullptr || !ids.insert(call.id).second) {
        return Failure(ErrorCode::kInvalidArgument, fmt::format("call {} is open already", call.id));
      }
      events.push_back(Of(call, MessageMark(message_)));
    }
    return events;
  });
}

Status TurnRecorder::CheckOpen(std::string_view call) const {
  return writer_->With([&](const KnownTurn& turn) -> Status {
    const auto open = FindCall(turn, call);
    return open ? Status() : std::unexpected(open.error());
  });
}

Status TurnRecorder::FinishTool(std::string_view call, const ToolResult& result) { return CloseAll({}, call, &result); }

Status TurnRecorder::DenyTool(std::string_view call, const std::optional<std::string>& reason, const Responder& user,
                              std::span<const Closing> closings) {
  return writer_->Write(writer_->options().durability, [&](const KnownTurn& turn) -> Events {
    if (turn.state.FindCall(call) == nullptr && turn.memory.FindDenial(call) != nullptr) return std::vector<Event>();
    std::vector<Event> events = TURNLOG_TRY(CloseInquiries(*writer_, turn, closings));
    const OpenCall* const denied = TURNLOG_TRY(FindFinishable(turn, call, IdsOf(closings)));
    events.push_back(
        Of(ToolCallResponse{std::string(call), std::string(kDeniedCall), true, DenialOf(*denied, reason, user)}));
    return events;
  });
}

std::optional<Denial> TurnRecorder::FindDenial(std::string_view call) const {
  return writer_->With([&](const KnownTurn& turn) {
    const Denial* const denial = turn.memory.FindDenial(call);
    return denial == nullptr ? std::nullopt : std::optional(*denial);
  });
}

Status TurnRecorder::RememberPermission(const PermissionKey& key, Permission permission, const Responder& user,
                                        const std::optional<std::string>& reason) {
  return writer_->Write(writer_->options().durability, [&](const KnownTurn&) -> Events {
    return std::vector{PermissionEvent(key, permission, user, reason, writer_->Now())};
  });
}

std::optional<RememberedPermission> TurnRecorder::FindPermission(const PermissionKey& key) const {
  return writer_->With([&](const KnownTurn& turn) { return turn.memory.permissions().Find(key); });
}

Json TurnRecorder::FindEditedArguments(std::string_view inquiry) const {
  return writer_->With([&](const KnownTurn& turn) { return turn.memory.FindEditedArguments(inquiry); });
}

Result<InquiryId> TurnRecorder::Ask(const InquiryAttempt& attempt) {
  return std::move(TURNLOG_TRY(AskAll({&attempt, 1})).front());
}

Result<std::vector<InquiryId>> TurnRecorder::AskAll(std::span<const InquiryAttempt> attempts) {
  std::vector<InquiryId> ids;
  const Status asked = writer_->Write(Durability::kSync, [&](const KnownTurn& turn) -> Events {
    ids.clear();
    std::vector<Event> events;
    std::set<std::string> texts;
    for (const InquiryAttempt& attempt : attempts) {
      static_cast<void>(TURNLOG_TRY(FindCall(turn, attempt.tool_call)));
      TURNLOG_TRY(CheckQuestion(attempt.question));
      ids.push_back(TURNLOG_TRY(turn.memory.NextId(attempt.tool_call, attempt.question_id)));
      if (!texts.insert(ids.back().text).second) {
        return Failure(ErrorCode::kInvalidArgument,
                       fmt::format("question {} is asked twice at once", attempt.question_id));
      }
      events.push_back(Of(InquiryRequest{ids.back(), attempt.source, attempt.question, attempt.escalated_from}));
    }
    return events;
  });
  if (!asked) return std::unexpected(asked.error());
  for (const InquiryId& id : ids) asked_->Begin(id.text);
  return ids;
}

std::optional<RememberedAnswer> TurnRecorder::FindRemembered(const InquiryAttempt& attempt) const {
  return writer_->With([&](const KnownTurn& turn) {
    const OpenCall* const call = turn.state.FindCall(attempt.tool_call);
    if (call == nullptr) return std::optional<RememberedAnswer>();
    return turn.memory.answers().Find({call->request.name, attempt.question_id}, attempt.question);
  });
}

Status TurnRecorder::Answer(std::string_view inquiry, const GivenAnswer& answer) {
  Closing closing{std::string(inquiry), answer, {}};
  const Status closed = CloseAll({&closing, 1});
  std::string text = std::move(closing.answer->answer).text();
  Wipe(text);  // it may be a secret
  return closed;
}

Status TurnRecorder::CheckWaits(std::string_view inquiry) const {
  return writer_->With([&](const KnownTurn& turn) -> Status {
    if (turn.state.FindQuestion(inquiry) != nullptr) return {};
    return std::unexpected(NotWaiting(*writer_, turn, inquiry));
  });
}

Status TurnRecorder::Cancel(std::string_view inquiry, std::string_view reason, const std::optional<Responder>& by) {
  const Closing closing{std::string(inquiry), std::nullopt, std::string(reason), by};
  return CloseAll({&closing, 1});
}

void TurnRecorder::Defer(std::string_view inquiry) { asked_->Defer(std::string(inquiry)); }

Status TurnRecorder::CloseAll(std::span<const Closing> closings, std::string_view call, const ToolResult* result) {
  return writer_->Write(writer_->options().durability, [&](const KnownTurn& turn) -> Events {
    std::vector<Event> events = TURNLOG_TRY(CloseInquiries(*writer_, turn, closings));
    if (result == nullptr) return events;
    const OpenCall* const finished = TURNLOG_TRY(FindFinishable(turn, call, IdsOf(closings)));
    events.push_back(Finish(turn, *finished, *result));
    return events;
  });
}

Status TurnRecorder::Refresh() { return writer_->Refresh(); }

TurnState TurnRecorder::state() const {
  return writer_->With([](const KnownTurn& turn) { return turn.state; });
}

const ConversationId& TurnRecorder::conversation() const { return writer_->conversation(); }

Status TurnRecorder::Close(std::string_view reason) {
  const Status closed = CloseTurn(*writer_, reason, {});
  Suspend();
  return closed;
}

Status TurnRecorder::Fail(std::string_view why) {
  const Event last = Of(ChatResponse{ChatPart::kMessage, std::string(why)}, Json::FromTrusted(R"({"failed":true})"));
  const Status closed = CloseTurn(*writer_, cancellation::kRunTerminated, {&last, 1});
  Suspend();
  return closed;
}

void TurnRecorder::Suspend() { writer_->Refuse({ErrorCode::kInvalidArgument, "this recorder has been closed", {}}); }

}  // namespace turnlog
