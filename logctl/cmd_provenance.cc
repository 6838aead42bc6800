#include <fmt/format.h>

#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/inquiry_text.h"
#include "logctl/json_document.h"
#include "logctl/report_fields.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/transcript/decisions.h"

namespace turnlog {
namespace {

void AddJson(JsonDocument& json, const Decision& decision) {
  json.Object();
  if (decision.seq.value > 0) json.Field("seq", decision.seq);
  json.Field("turn", decision.turn);
  json.Field("time", decision.time);
  json.Field("kind", decision.asked ? "inquiry" : "denial");
  if (!decision.inquiry.empty()) json.Field("inquiry", decision.inquiry);
  if (decision.asked) json.Field("question", decision.asked->question.text);
  json.Field("outcome", decision.outcome);
  if (!decision.by.empty()) json.Field("by", decision.by);
  if (!decision.reason.empty()) json.Field("reason", decision.reason);
  if (!decision.rule.empty()) json.Field("repair", decision.rule);
  if (decision.call) {
    json.Field("tool", decision.call->name);
    json.Field("tool_call", decision.call->id);
    json.Raw("arguments", decision.call->arguments.empty() ? "{}" : decision.call->arguments.text());
  }
  json.Array("escalated_from");
  for (const EarlierNo& no : decision.escalated_from) {
    json.Object();
    if (!no.inquiry.empty()) json.Field("inquiry", no.inquiry);
    if (!no.by.empty()) json.Field("by", no.by);
    if (!no.reason.empty()) json.Field("reason", no.reason);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

std::string Described(const EarlierNo& no) {
  std::string text = no.by.empty() ? "not recorded" : Printable(no.by);
  if (!no.inquiry.empty()) text += fmt::format(" in {}", Printable(no.inquiry));
  return no.reason.empty() ? text : fmt::format("{}: {}", text, Printable(no.reason));
}

void Print(Output& out, const Decision& decision) {
  const auto line = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) out.Write(fmt::format("  {:<11} {}\n", name, Printable(value)));
  };
  const std::string what = decision.inquiry.empty() ? "denied call" : Printable(decision.inquiry);
  out.Write(fmt::format("turn {}  {}  {}\n", decision.turn.value, out.Paint(Style::kBold, what),
                        decision.seq.value == 0 ? "" : fmt::format("event {}", decision.seq.value)));
  if (decision.asked) line("question", decision.asked->question.text);
  line("outcome", decision.outcome);
  line("by", decision.by.empty() ? "not recorded" : decision.by);
  line("when", decision.time ? decision.time->ToRfc3339() : "not recorded");
  line("why", decision.reason);
  line("repair", decision.rule);
  if (decision.call) {
    line("tool", fmt::format("{} (call {})", decision.call->name, decision.call->id));
    line("arguments", decision.call->arguments.empty() ? "{}" : decision.call->arguments.text());
  }
  for (const EarlierNo& no : decision.escalated_from) line("after no of", Described(no));
}

CommandResult Run(Context& context, const std::string& conversation) {
  const auto log = TURNLOG_TRY(OpenToRead(context));
  const std::vector<std::string> names{conversation};
  const auto ids = TURNLOG_TRY(FindConversations(*log, names));
  std::vector<Damage> damage;
  const std::vector<Decision> decisions = TURNLOG_TRY(ReadDecisions(*log, ids.front(), &damage));
  const ExitCode code = damage.empty() ? kFine : kFailed;
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Field("conversation", conversation);
    json.Array("decisions");
    for (const Decision& decision : decisions) AddJson(json, decision);
    json.EndArray();
    AddDamage(json, damage);
    return code;
  }
  for (const Decision& decision : decisions) Print(context.out, decision);
  for (const Damage& each : damage) context.messages.Report(each);
  if (decisions.empty() && damage.empty()) context.messages.Note("no decision is recorded");
  return code;
}

}  // namespace

Action DefineProvenance(CLI::App& app) {
  auto conversation = std::make_shared<std::string>();
  AddText(app, "CONV", *conversation, "The conversation", "CONV").Required();
  return [conversation](Context& context) { return Run(context, *conversation); };
}

}  // namespace turnlog
