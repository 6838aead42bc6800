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

// One asking with the events it consists of.
struct InquiryAttempt {
  std::string id;
  InquiryRecord record;
  std::optional<Event> request, response;
  std::vector<Damage> damage;
  std::optional<std::string> rule;  // of the repair that has inserted the response
  bool left_out = false;            // of the sanitized view

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

// What repairs have done to it.
Expected<void> LookAtRepairs(Log& log, const ConversationId& conversation, const InquiryIdView& id,
                             InquiryAttempt& asking) {
  const std::optional<Seq> seq = asking.record.request ? asking.record.request : asking.record.response;
  if (!seq) return {};
  asking.left_out = !TURNLOG_TRY(IsShown(log, conversation, *seq));
  if (asking.left_out || asking.record.response) return {};
  auto closing = TURNLOG_TRY(FindClosing(log, conversation, id, *seq));
  if (!closing) return {};
  asking.response = std::move(closing->response);
  asking.rule = std::move(closing->rule);
  return {};
}

Expected<void> Find(Log& log, const ConversationId& conversation, const InquiryIdView& id,
                    std::vector<InquiryAttempt>& found) {
  const auto records = TURNLOG_TRY(log.FindInquiry(conversation, id));
  for (const InquiryRecord& record : records) {
    InquiryAttempt asking{.id = std::string(id.text), .record = record, .request = {}, .response = {}, .damage = {}};
    asking.request = TURNLOG_TRY(LoadPart(log, conversation, record.request, asking.damage));
    asking.response = TURNLOG_TRY(LoadPart(log, conversation, record.response, asking.damage));
    TURNLOG_TRY(LookAtRepairs(log, conversation, id, asking));
    found.push_back(std::move(asking));
  }
  return {};
}

Expected<InquiryId> JoinParts(const Options& words, std::uint64_t attempt) {
  if (attempt > UINT32_MAX) return WrongUsage("--attempt is too large");
  auto id = MakeInquiryId(*words.tool_call, *words.question, static_cast<std::uint32_t>(attempt));
  if (!id) return WrongUsage(id.error().message);
  return *std::move(id);
}

// By parts; without an attempt all of them, in order.
Expected<void> FindByParts(Log& log, const ConversationId& conversation, const Options& words,
                           std::vector<InquiryAttempt>& found) {
  for (std::uint64_t attempt = words.attempt.value_or(1);; ++attempt) {
    const InquiryId id = TURNLOG_TRY(JoinParts(words, attempt));
    const InquiryIdView view{id.text, InquiryKeyView{id.key->tool_call, id.key->question, id.key->attempt}};
    const std::size_t before = found.size();
    TURNLOG_TRY(Find(log, conversation, view, found));
    if (found.size() == before || words.attempt) return {};
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
  for (const InquiryAttempt& asking : found) {
    const auto view = asking.response ? std::optional(View(*asking.response)) : std::nullopt;
    json.Object();
    json.Field("id", asking.id);
    json.Field("turn", asking.record.turn);
    json.Field("state", StateOf(asking.record, view ? std::get_if<InquiryResponseView>(&view->body) : nullptr));
    json.Field("request_seq", asking.record.request);
    json.Field("response_seq", asking.record.response);
    event("request", asking.request, asking.record.request);
    event("response", asking.response, asking.record.response);
    if (asking.rule) {
      json.Object("repair");
      json.Field("action", "insert");
      json.Field("rule", *asking.rule);
      json.EndObject();
    }
    if (asking.left_out) json.Field("left_out", true);
    AddDamage(json, asking.damage);
    json.EndObject();
  }
  json.EndArray();
}

// Prints one asking as lines of name and value.
class AskingText {
 public:
  explicit AskingText(Output& out) : out_(out) {}

  void Print(const InquiryAttempt& asking) {
    const auto request = asking.request ? std::optional(View(*asking.request)) : std::nullopt;
    const auto response = asking.response ? std::optional(View(*asking.response)) : std::nullopt;
    const auto* answer = response ? std::get_if<InquiryResponseView>(&response->body) : nullptr;
    const auto* question = request ? std::get_if<InquiryRequestView>(&request->body) : nullptr;
    const auto state = StateOf(asking.record, answer);
    out_.Write(fmt::format("{}  {}  {}\n", out_.Paint(Style::kBold, fmt::format("turn {}", asking.record.turn.value)),
                           Printable(asking.id), out_.Paint(StateStyle(state), state)));
    if (question != nullptr) Request(*question);
    if (asking.record.request) Line("asked", Place(*asking.record.request, asking.request));
    if (answer != nullptr) Response(*answer);
    if (asking.record.response) Line("closed", Place(*asking.record.response, asking.response));
    if (asking.rule) Line("closed", "by a repair: " + Printable(*asking.rule));
    if (asking.left_out) Line("repair", "leaves it out of the sanitized view");
    for (const Damage& damage : asking.damage) Line("damage", out_.Paint(Style::kRed, Printable(ToString(damage))));
  }

 private:
  static Style StateStyle(std::string_view state) {
    if (state == "pending") return Style::kYellow;
    return state == "orphaned" || state == "stray" || state == "unreadable" ? Style::kRed : Style::kGreen;
  }

  static std::string Place(Seq seq, const std::optional<Event>& event) {
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

  void Response(const InquiryResponseView& response) {
    Line("outcome", OutcomeText(response));
    if (response.outcome == Outcome::kAnswered && response.reason) Line("reason", Printable(*response.reason));
    Line("by", ResponderText(response));
  }

  void Line(std::string name, const std::string& value) {
    if (!value.empty()) out_.Write("  " + out_.Paint(Style::kDim, PadRight(std::move(name), 10)) + "  " + value + "\n");
  }

  Output& out_;
};

Expected<void> CheckWords(const Options& words) {
  const bool by_parts = words.tool_call && words.question;
  if (words.id && (words.tool_call || words.question || words.attempt)) {
    return WrongUsage("give the ID or its parts, not both");
  }
  if (!words.id && !by_parts) return WrongUsage("which inquiry?", "give its ID, or --tool-call and --question");
  return {};
}

CommandResult Run(Context& context, const Options& words) {
  TURNLOG_TRY(CheckWords(words));
  const auto conversation = TURNLOG_TRY(ParseConversation(words.conversation));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  TURNLOG_TRY(FindConversation(*log, conversation));
  std::vector<InquiryAttempt> found;
  if (words.id) {
    TURNLOG_TRY(Find(*log, conversation, {*words.id, {}}, found));
  } else {
    TURNLOG_TRY(FindByParts(*log, conversation, words, found));
  }
  if (found.empty()) {
    return Failed(fmt::format("there is no such inquiry in \"{}\"", conversation.text()),
                  "`logctl show` has the ids of all inquiries, `logctl pending` of those that wait");
  }
  if (context.globals.json) {
    PrintJson(context.out, conversation, found);
  } else {
    for (const InquiryAttempt& asking : found) AskingText(context.out).Print(asking);
  }
  return std::ranges::all_of(found, [](const InquiryAttempt& asking) { return asking.damage.empty(); }) ? kFine
                                                                                                        : kFailed;
}

}  // namespace

Action DefineGet(CLI::App& app) {
  auto words = std::make_shared<Options>();
  AddText(app, "CONV", words->conversation, "The conversation").Required();
  AddText(app, "ID", words->id, "The inquiry's id");
  AddText(app, "--tool-call", words->tool_call, "Instead of ID: the tool call's id", "ID");
  AddText(app, "--question", words->question, "Instead of ID: the question's id", "ID");
  AddNumber(app, "--attempt", words->attempt, "Only this attempt; without it all of them");
  return [words](Context& context) { return Run(context, *words); };
}

}  // namespace turnlog
