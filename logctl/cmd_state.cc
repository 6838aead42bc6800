#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/try.h"
#include "logctl/answer_session.h"
#include "logctl/command.h"
#include "logctl/inquiry_text.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/table.h"
#include "logctl/text.h"
#include "turnlog/load_turn_state.h"

namespace turnlog {
namespace {

struct Options {
  std::string conversation;
};

std::string AnswerType(const Question& question) {
  const Event event{.body = InquiryRequest{.id = {}, .source = {}, .question = question, .escalated_from = {}}};
  const EventView view = View(event);
  return AnswerTypeText(std::get<InquiryRequestView>(view.body).question);
}

void PrintQuestion(JsonDocument& json, const InquiryState& inquiry) {
  const InquiryRequest& request = inquiry.request;
  json.Object();
  json.Field("seq", inquiry.asked);
  json.Field("id", request.id.text);
  if (request.id.key) json.Field("call", request.id.key->tool_call);
  json.Field("text", request.question.text);
  json.EndObject();
}

void PrintJson(Context& context, const ConversationInfo& info, const TurnState& state) {
  JsonDocument json(context.out);
  json.Field("conversation", info.id);
  json.Field("turn", info.turns);
  json.Field("last", info.last);
  json.Field("activity", ToString(state.activity()));
  json.Array("questions");
  for (const InquiryState* question : state.questions()) PrintQuestion(json, *question);
  json.EndArray();
  json.Array("calls");
  for (const OpenCall* call : state.calls()) {
    json.Object();
    json.Field("seq", call->seq);
    json.Field("id", call->request.id);
    json.Field("name", call->request.name);
    json.EndObject();
  }
  json.EndArray();
}

void PrintText(Context& context, const ConversationInfo& info, const TurnState& state) {
  using enum Table::Align;
  constexpr std::size_t kQuestionBytes = 200;
  context.out.Write(
      fmt::format("{}: {}\n", context.out.Paint(Style::kBold, Printable(info.id)), ActivityText(state.activity())));
  Table table({{"OPEN"}, {"EVENT", kRight}, {"ID"}, {"WHAT"}});
  for (const InquiryState* question : state.questions()) {
    const InquiryRequest& request = question->request;
    table.Add({"question", std::to_string(question->asked.value), Printable(request.id.text),
               fmt::format("{} [{}]", Printable(Prefix(request.question.text, kQuestionBytes)),
                           AnswerType(request.question))});
  }
  for (const OpenCall* call : state.calls()) {
    table.Add({"call", std::to_string(call->seq.value), Printable(call->request.id), Printable(call->request.name)});
  }
  if (!state.questions().empty() || !state.calls().empty()) table.Print(context.out);
}

CommandResult Run(Context& context, const Options& options) {
  const auto id = TURNLOG_TRY(ParseConversation(options.conversation));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  const auto info = TURNLOG_TRY(FindConversation(*log, id));
  const TurnState state = TURNLOG_TRY(LoadTurnState(*log, id));
  context.globals.json ? PrintJson(context, info, state) : PrintText(context, info, state);
  return kFine;
}

}  // namespace

Action DefineState(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "CONV", options->conversation, "The conversation").Required();
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
