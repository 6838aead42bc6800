#include <fmt/format.h>

#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/report_fields.h"
#include "logctl/selection.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "logctl/timeline.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

struct Options {
  std::string conversation;
  Selection selection;
  bool full = false;
};

// Begins with the field `repair` if a repair has inserted or moved the event.
Expected<std::string> EventJson(const Item& item) {
  std::string text;
  if (const auto* erased = std::get_if<Erased>(&item)) {
    const Event mark = ErasedMark(erased->kind);
    AppendJson(View(mark), erased->conversation, erased->seq, text);
    return text;
  }
  const auto& record = std::get<Record>(item);
  AppendJson(TURNLOG_TRY(record.Decode()), record.conversation, record.seq, text);
  if (record.rule.empty()) return text;
  const std::string_view action = record.inserted ? "insert" : "move";
  const std::string rule = JsonString(record.rule).text();
  return text.insert(1, fmt::format(R"("repair":{{"action":"{}","rule":{}}},)", action, rule));
}

CommandResult PrintJson(Context& context, Log& log, const ConversationInfo& info, const Options& options) {
  const auto id = TURNLOG_TRY(ConversationId::Parse(info.id));
  JsonDocument json(context.out);
  json.Object("conversation");
  AddFields(json, info, TURNLOG_TRY(log.Pending(id)).size());
  json.EndObject();
  std::vector<Damage> damages;
  json.Array("events");
  const auto on_item = [&](const Item& item) -> Expected<bool> {
    if (const auto* damage = std::get_if<Damage>(&item)) {
      damages.push_back(*damage);
    } else {
      json.RawElement(TURNLOG_TRY(EventJson(item)));
    }
    return !context.out.closed();
  };
  TURNLOG_TRY(ReadSelected(log, info, options.selection, on_item));
  json.EndArray();
  AddDamage(json, damages);
  return damages.empty() ? kFine : kFailed;
}

void PrintHead(Output& out, const ConversationInfo& info, std::size_t pending, std::size_t repairs) {
  std::string line = fmt::format("{}, {}", Counted(info.last.value, "event"), Counted(info.turns, "turn"));
  if (pending > 0) line += fmt::format(", {} pending", Thousands(pending));
  line += ", " + HumanSize(info.bytes);
  if (repairs > 0) line += ", " + Counted(repairs, "repair");
  if (info.first_time) line += fmt::format(", since {} {} UTC", DateOf(*info.first_time), ClockOf(*info.first_time));
  out.Write(fmt::format("{}  {}\n", out.Paint(Style::kBold, Printable(info.id)), out.Paint(Style::kDim, line)));
}

CommandResult PrintText(Context& context, Log& log, const ConversationInfo& info, const Options& options) {
  const auto id = TURNLOG_TRY(ConversationId::Parse(info.id));
  PrintHead(context.out, info, TURNLOG_TRY(log.Pending(id)).size(), TURNLOG_TRY(log.Repairs(id)).size());
  const bool whole_turns = !options.selection.from || *options.selection.from <= 1;
  Timeline timeline(log, id, info, context.out,
                    {.full = options.full, .whole_turns = whole_turns, .raw = options.selection.raw});
  ExitCode code = kFine;
  const auto on_item = [&](const Item& item) -> Expected<bool> {
    if (const auto* damage = std::get_if<Damage>(&item)) {
      timeline.Add(*damage);
      code = kFailed;
    } else if (const auto* erased = std::get_if<Erased>(&item)) {
      timeline.Add(*erased);
    } else {
      TURNLOG_TRY(timeline.Add(std::get<Record>(item)));
    }
    return !context.out.closed();
  };
  TURNLOG_TRY(ReadSelected(log, info, options.selection, on_item));
  timeline.Finish();
  return code;
}

CommandResult Run(Context& context, const Options& options) {
  const auto id = TURNLOG_TRY(ParseConversation(options.conversation));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  const auto info = TURNLOG_TRY(FindConversation(*log, id));
  TURNLOG_TRY(options.selection.Check(info));
  const auto code =
      context.globals.json ? PrintJson(context, *log, info, options) : PrintText(context, *log, info, options);
  if (code && *code == kFailed) context.messages.Warn("some events are damaged; `logctl verify` reports all damage");
  return code;
}

}  // namespace

Action DefineShow(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "CONV", options->conversation, "The conversation").Required();
  options->selection.Define(app);
  AddFlag(app, "--full", options->full, "Shorten nothing; also print metadata and other kinds");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
