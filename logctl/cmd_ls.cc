#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/report_fields.h"
#include "logctl/store_access.h"
#include "logctl/table.h"
#include "logctl/text.h"

namespace turnlog {
namespace {

std::string When(std::optional<Timestamp> time) { return time ? DateOf(*time) + " " + ClockOf(*time) : "-"; }

Expected<void> PrintJson(Context& context, Log& log) {
  JsonDocument json(context.out);
  json.Array("conversations");
  const auto on_page = [&](const std::vector<ConversationInfo>& page) -> Expected<bool> {
    for (const ConversationInfo& info : page) {
      json.Object();
      AddFields(json, info);
      json.EndObject();
    }
    return !context.out.closed();
  };
  TURNLOG_TRY(ForEachPage(log, on_page));
  json.EndArray();
  return {};
}

Expected<void> PrintTable(Context& context, Log& log) {
  using enum Table::Align;
  Table table({{"CONVERSATION"},
               {"EVENTS", kRight},
               {"TURNS", kRight},
               {"PENDING", kRight},
               {"FIRST (UTC)"},
               {"LAST (UTC)"},
               {"SIZE", kRight}});
  bool empty = true;
  const auto on_page = [&](const std::vector<ConversationInfo>& page) -> Expected<bool> {
    empty = false;
    for (const ConversationInfo& info : page) {
      table.Add({Printable(info.id), Thousands(info.last.value), Thousands(info.turns),
                 info.pending > 0 ? Thousands(info.pending) : "-", When(info.first_time), When(info.last_time),
                 HumanSize(info.bytes)});
    }
    table.Print(context.out);
    return !context.out.closed();
  };
  TURNLOG_TRY(ForEachPage(log, on_page));
  if (empty) context.messages.Note("the store holds no conversations yet");
  return {};
}

Finished Run(Context& context) {
  const auto log = TURNLOG_TRY(OpenToRead(context));
  TURNLOG_TRY(context.globals.json ? PrintJson(context, *log) : PrintTable(context, *log));
  return kFine;
}

}  // namespace

Action DefineLs(CLI::App&) { return Run; }

}  // namespace turnlog
