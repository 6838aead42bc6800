#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/inquiry_closing.h"
#include "logctl/inquiry_text.h"
#include "logctl/json_document.h"
#include "logctl/report_fields.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

struct Options {
  std::string conversation;
  std::optional<std::string> id, tool_call, question;
  std::optional<std::uint64_t> attempt;
};

// One attempt with its request and response.
struct InquiryAttempt {
  std::string id;
  InquiryRecord record;
  std::optional<Event> request, response;
  std::vector<Damage> damage;
  std::optional<std::string> rule;  // of the repair that has inserted the response
  bool left_out = false;            // a repair leaves it out of the sanitized view

  const InquiryResponse* answer() const { return response ? std::get_if<InquiryResponse>(&response->body) : nullptr; }
};

Expected<std::optional<Event>> LoadPart(Log& log, const ConversationId& conversation, std::optional<Seq> seq,
                                        std::vector<Damage>& damage) {
  if (!seq) return std::nullopt;
  auto part = TURNLOG_TRY(LoadEvent(log, conversation, *seq));
  if (auto* event = std::get_if<Event>(&part)) return std::move(*event);
  damage.push_back(std::get<Damage>(std::move(part)));
  return std::nullopt;
}

// Adds what the active repairs change.
Expected<void> ApplyRepairs(Log& log, const ConversationId& conversation, const InquiryIdView& id,
                            InquiryAttempt& attempt) {
  const std::optional<Seq> seq = attempt.record.request ? attempt.record.request : attempt.record.response;
  if (!seq) return {};
  attempt.left_out = !TURNLOG_TRY(IsShown(log, conversation, *seq));
  if (attempt.left_out || attempt.record.response) return {};
  auto closing = TURNLOG_TRY(FindClosing(log, conversation, id, *seq));
  if (!closing) return {};
  attempt.response = std::move(closing->response);
  attempt.rule = std::move(closing->rule);
  return {};
}

Expected<void> Find(Log& log, const ConversationId& conversation, const InquiryIdView& id,
                    std::vector<InquiryAttempt>& found) {
  const auto records = TURNLOG_TRY(log.FindInquiry(conversation, id));
  for (const InquiryRecord& record : records) {
    InquiryAttempt attempt{.id = std::string(id.text), .record = record, .request = {}, .response = {}, .damage = {}};
    attempt.request = TURNLOG_TRY(LoadPart(log, conversation, record.request, attempt.damage));
    attempt.response = TURNLOG_TRY(LoadPart(log, conversation, record.response, attempt.damage));
    TURNLOG_TRY(ApplyRepairs(log, conversation, id, attempt));
    found.push_back(std::move(attempt));
  }
  return {};
}

Expected<InquiryId> JoinParts(const Options& options, std::uint64_t attempt) {
  if (attempt > UINT32_MAX) return WrongUsage("--attempt is too large");
  auto id = MakeInquiryId(*options.tool_call, *options.question, static_cast<std::uint32_t>(attempt));
  if (!id) return WrongUsage(id.error().message);
  return *std::move(id);
}

// Without --attempt all attempts, in order.
Expected<void> FindByParts(Log& log, const ConversationId& conversation, const Options& options,
                           std::vector<InquiryAttempt>& found) {
  for (std::uint64_t attempt = options.attempt.value_or(1);; ++attempt) {
    const InquiryId id = TURNLOG_TRY(JoinParts(options, attempt));
    const InquiryIdView view{id.text, InquiryKeyView{id.key->tool_call, id.key->question, id.key->attempt}};
    const std::size_t before = found.size();
    TURNLOG_TRY(Find(log, conversation, view, found));
    if (found.size() == before || options.attempt) return {};
  }
}

void PrintJson(Output& out, const ConversationId& conversation, const std::vector<InquiryAttempt>& found) {
  JsonDocument json(out);
  const auto event = [&](std::string_view key, const std::optional<Event>& part, std::optional<Seq> seq) {
    if (!part) return;
    std::string text;
    AppendJson(View(*part), conversation.text(), seq.value_or(Seq{}), text);
    json.Raw(key, text);
  };
  json.Field("conversation", conversation.text());
  json.Array("inquiries");
  for (const InquiryAttempt& attempt : found) {
    const auto view = attempt.response ? std::optional(View(*attempt.response)) : std::nullopt;
    json.Object();
    json.Field("id", attempt.id);
    json.Field("turn", attempt.record.turn);
    json.Field("state", StateOf(attempt.record, view ? std::get_if<InquiryResponseView>(&view->body) : nullptr));
    json.Field("request_seq", attempt.record.request);
    json.Field("response_seq", attempt.record.response);
    event("request", attempt.request, attempt.record.request);
    event("response", attempt.response, attempt.record.response);
    if (attempt.rule) {
      json.Object("repair");
      json.Field("action", "insert");
      json.Field("rule", *attempt.rule);
      json.EndObject();
    }
    if (attempt.left_out) json.Field("left_out", true);
    AddDamage(json, attempt.damage);
    json.EndObject();
  }
  json.EndArray();
}

// Prints one attempt as lines of name and value.
class AttemptText {
 public:
  explicit AttemptText(Output& out) : out_(out) {}

  void Print(const InquiryAttempt& attempt) {
    const auto request = attempt.request ? std::optional(View(*attempt.request)) : std::nullopt;
    const auto response = attempt.response ? std::optional(View(*attempt.response)) : std::nullopt;
    const auto* answer = response ? std::get_if<InquiryResponseView>(&response->body) : nullptr;
    const auto* question = request ? std::get_if<InquiryRequestView>(&request->body) : nullptr;
    const auto state = StateOf(attempt.record, answer);
    out_.Write(fmt::format("{}  {}  {}\n", out_.Paint(Style::kBold, fmt::format("turn {}", attempt.record.turn.value)),
                           Printable(attempt.id), out_.Paint(StateStyle(state), state)));
    if (question != nullptr) Request(*question);
    if (attempt.record.request) Line("asked", EventText(*attempt.record.request, attempt.request));
    if (answer != nullptr) Response(*answer, response->metadata);
    if (attempt.record.response) Line("closed", EventText(*attempt.record.response, attempt.response));
    if (attempt.rule) Line("closed", "by a repair: " + Printable(*attempt.rule));
    if (attempt.left_out) Line("repair", "leaves it out of the sanitized view");
    for (const Damage& damage : attempt.damage) Line("damage", out_.Paint(Style::kRed, Printable(ToString(damage))));
  }

 private:
  static Style StateStyle(std::string_view state) {
    if (state == "pending") return Style::kYellow;
    return state == "orphaned" || state == "unmatched" || state == "unreadable" ? Style::kRed : Style::kGreen;
  }

  static std::string EventText(Seq seq, const std::optional<Event>& event) {
    const bool timed = event && event->timestamp;
    return fmt::format("event {}{}{}", seq.value, timed ? ", " : "", timed ? event->timestamp->ToRfc3339() : "");
  }

  void Request(const InquiryRequestView& request) {
    Line("question", Printable(request.question.text));
    Line("type", AnswerTypeText(request.question));
    if (request.question.context) Line("context", Printable(*request.question.context));
    Line("source", SourceText(request.source));
    if (request.escalated_from) Line("follows up", Printable(*request.escalated_from));
  }

  void Response(const InquiryResponseView& response, const JsonView& metadata) {
    Line("outcome", OutcomeText(response, metadata));
    if (response.outcome == Outcome::kAnswered && response.reason) Line("reason", Printable(*response.reason));
    Line("by", ResponderText(response.responder));
  }

  void Line(std::string name, const std::string& value) {
    if (!value.empty()) out_.Write("  " + out_.Paint(Style::kDim, PadRight(std::move(name), 10)) + "  " + value + "\n");
  }

  Output& out_;
};

Expected<void> CheckOptions(const Options& options) {
  const bool by_parts = options.tool_call && options.question;
  if (options.id && (options.tool_call || options.question || options.attempt)) {
    return WrongUsage("give the ID or its parts, not both");
  }
  if (!options.id && !by_parts) return WrongUsage("no inquiry given", "give its ID, or --tool-call and --question");
  return {};
}

CommandResult Run(Context& context, const Options& options) {
  TURNLOG_TRY(CheckOptions(options));
  const auto conversation = TURNLOG_TRY(ParseConversation(options.conversation));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  TURNLOG_TRY(FindConversation(*log, conversation));
  std::vector<InquiryAttempt> found;
  if (options.id) {
    TURNLOG_TRY(Find(*log, conversation, {*options.id, {}}, found));
  } else {
    TURNLOG_TRY(FindByParts(*log, conversation, options, found));
  }
  if (found.empty()) {
    return Failed(fmt::format("conversation \"{}\" has no such inquiry", conversation.text()),
                  "`logctl show` prints the ids of all inquiries, `logctl pending` those of the pending ones");
  }
  if (context.globals.json) {
    PrintJson(context.out, conversation, found);
  } else {
    for (const InquiryAttempt& attempt : found) AttemptText(context.out).Print(attempt);
  }
  return std::ranges::all_of(found, [](const InquiryAttempt& attempt) { return attempt.damage.empty(); }) ? kFine
                                                                                                          : kFailed;
}

}  // namespace

Action DefineGet(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "CONV", options->conversation, "The conversation").Required();
  AddText(app, "ID", options->id, "The inquiry's id");
  AddText(app, "--tool-call", options->tool_call, "Instead of ID: the id of the tool call", "ID");
  AddText(app, "--question", options->question, "Instead of ID, with --tool-call: the id of the question", "ID");
  AddNumber(app, "--attempt", options->attempt, "Only this attempt; default: all");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
