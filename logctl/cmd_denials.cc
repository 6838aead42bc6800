#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/table.h"
#include "logctl/text.h"
#include "turnlog/edited_arguments.h"
#include "turnlog/inquiry/denials.h"

namespace turnlog {
namespace {

struct Options {
  std::string conversation;
  bool last_turn = false;
};

void PrintJson(Context& context, const ConversationId& conversation, const std::vector<DeniedCall>& denials) {
  JsonDocument json(context.out);
  json.Field("conversation", conversation.text());
  json.Array("denials");
  for (const DeniedCall& denial : denials) {
    json.Object();
    json.Field("tool", denial.tool);
    json.Field("call", denial.call);
    json.Field("reason", denial.reason);
    json.Field(kArgumentsHash, denial.arguments_hash);
    json.Field("handed_up_from", denial.conversation);
    json.EndObject();
  }
  json.EndArray();
}

void PrintTable(Context& context, const Options& options, const std::vector<DeniedCall>& denials) {
  Table table({{"TOOL"}, {"CALL"}, {"ARGUMENTS"}, {"OF"}, {"REASON"}});
  for (const DeniedCall& denial : denials) {
    table.Add({denial.tool.empty() ? "-" : Printable(denial.tool), Printable(denial.call),
               Printable(denial.arguments_hash), Printable(denial.conversation.value_or("-")),
               Printable(denial.reason.value_or("-"))});
  }
  table.Print(context.out);
  if (!denials.empty()) return;
  context.messages.Note(options.last_turn ? "nothing was denied in the last turn"
                                          : "nothing was denied that the model has not been told");
}

CommandResult Run(Context& context, const Options& options) {
  const auto id = TURNLOG_TRY(ParseConversation(options.conversation));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  TURNLOG_TRY(FindConversation(*log, id));
  const auto denials = TURNLOG_TRY(options.last_turn ? DenialsOfLastTurn(*log, id) : UndeliveredDenials(*log, id));
  context.globals.json ? PrintJson(context, id, denials) : PrintTable(context, options, denials);
  return kFine;
}

}  // namespace

Action DefineDenials(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "CONV", options->conversation, "The conversation").Required();
  AddFlag(app, "--last-turn", options->last_turn,
          "All denials of the last turn, also those that the model has received");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
