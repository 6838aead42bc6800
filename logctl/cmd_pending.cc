#include <fmt/format.h>

#include <functional>
#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/inquiry_text.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/table.h"
#include "logctl/text.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

struct Options {
  std::optional<std::string> conversation;
};

// Calls `on_request` with each pending inquiry and its request. A damaged request is reported here and passed as null.
using OnRequest = std::function<void(const PendingInquiry&, const EventView*, const InquiryRequestView*)>;

CommandResult ForEach(Context& context, Log& log, const std::vector<PendingInquiry>& all, const OnRequest& on_request) {
  ExitCode code = kFine;
  for (const PendingInquiry& pending : all) {
    const auto id = TURNLOG_TRY(ConversationId::Parse(pending.conversation));
    const auto loaded = TURNLOG_TRY(LoadEvent(log, id, pending.request));
    if (const auto* event = std::get_if<Event>(&loaded)) {
      const EventView view = View(*event);
      on_request(pending, &view, std::get_if<InquiryRequestView>(&view.body));
    } else {
      context.messages.Report(std::get<Damage>(loaded));
      on_request(pending, nullptr, nullptr);
      code = kFailed;
    }
    if (context.out.closed()) break;
  }
  return code;
}

CommandResult PrintJson(Context& context, Log& log, const std::vector<PendingInquiry>& all) {
  JsonDocument json(context.out);
  json.Array("pending");
  const auto code = ForEach(
      context, log, all, [&](const PendingInquiry& pending, const EventView* event, const InquiryRequestView* request) {
        json.Object();
        json.Field("conversation", pending.conversation);
        json.Field("turn", pending.turn);
        json.Field("seq", pending.request);
        if (request != nullptr) {
          json.Field("id", request->id.text);
          json.Field("timestamp", event->timestamp);
          json.Field("text", request->question.text);
          std::string text;
          AppendJson(*event, pending.conversation, pending.request, text);
          json.Raw("request", text);
        }
        json.EndObject();
      });
  json.EndArray();
  return code;
}

CommandResult PrintTable(Context& context, Log& log, const std::vector<PendingInquiry>& all) {
  using enum Table::Align;
  Table table({{"CONVERSATION"}, {"TURN", kRight}, {"EVENT", kRight}, {"SINCE (UTC)"}, {"ID"}, {"QUESTION"}});
  const auto code = ForEach(
      context, log, all, [&](const PendingInquiry& pending, const EventView* event, const InquiryRequestView* request) {
        const bool timed = event != nullptr && event->timestamp;
        std::string id = "-", question = event != nullptr ? "(erased)" : "(damaged)";
        if (request != nullptr) {
          id = Printable(request->id.text);
          question = fmt::format("{} [{}]", OneLine(request->question.text), AnswerTypeText(request->question));
        }
        table.Add({Printable(pending.conversation), std::to_string(pending.turn.value),
                   std::to_string(pending.request.value),
                   timed ? DateOf(*event->timestamp) + " " + ClockOf(*event->timestamp) : "-", id, question});
      });
  table.Print(context.out);
  if (all.empty()) context.messages.Note("no inquiry is pending");
  return code;
}

CommandResult Run(Context& context, const Options& options) {
  std::optional<ConversationId> conversation;
  if (options.conversation) conversation = TURNLOG_TRY(ParseConversation(*options.conversation));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  if (conversation) TURNLOG_TRY(FindConversation(*log, *conversation));
  const auto all = TURNLOG_TRY(log->Pending(conversation));
  return context.globals.json ? PrintJson(context, *log, all) : PrintTable(context, *log, all);
}

}  // namespace

Action DefinePending(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "CONV", options->conversation, "Only this conversation");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
