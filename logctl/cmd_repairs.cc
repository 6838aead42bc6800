#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/table.h"
#include "logctl/text.h"
#include "turnlog/event_json.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog {
namespace {

struct Options {
  std::string conversation;
  std::optional<std::uint64_t> undo;
};

std::string_view StateOf(const RecordedRepair& recorded) {
  if (recorded.undone) return "undone";
  if (!recorded.repair.undoes.empty()) return "undo";
  const auto in_force = std::ranges::count(recorded.in_force, true);
  if (static_cast<std::size_t>(in_force) == recorded.in_force.size()) return "active";
  return in_force == 0 ? "retracted" : "partly retracted";
}

std::string ContentsOf(const Repair& repair) {
  std::string text;
  const auto add = [&](auto count, std::string_view what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  const auto items = [&](RepairAction action) {
    return std::ranges::count(repair.items, action, [](const RepairItem& item) { return item.target.action; });
  };
  add(items(RepairAction::kDrop), "dropped");
  add(items(RepairAction::kInsert), "inserted");
  add(items(RepairAction::kMove), "moved");
  add(repair.retracts.size(), "retracted");
  for (const Seq seq : repair.undoes) text += fmt::format("{}undoes event {}", text.empty() ? "" : ", ", seq.value);
  return text;
}

void PrintTable(Context& context, const std::vector<RecordedRepair>& all) {
  using enum Table::Align;
  Table table({{"EVENT", kRight}, {"TIME (UTC)"}, {"PROFILE"}, {"TOUCHES"}, {"STATE"}, {"REPAIRS"}});
  for (const RecordedRepair& recorded : all) {
    const Repair& repair = recorded.repair;
    table.Add({std::to_string(recorded.seq.value),
               recorded.time ? DateOf(*recorded.time) + " " + ClockOf(*recorded.time) : "-", Printable(repair.profile),
               fmt::format("{}..{}", repair.from.value, repair.to.value), std::string(StateOf(recorded)),
               ContentsOf(repair)});
  }
  table.Print(context.out);
  if (all.empty()) context.messages.Note("this conversation has no repairs");
}

void PrintJson(Context& context, const std::vector<RecordedRepair>& all) {
  JsonDocument json(context.out);
  json.Array("repairs");
  for (const RecordedRepair& recorded : all) {
    json.Object();
    json.Field("seq", recorded.seq);
    json.Field("state", StateOf(recorded));
    json.Array("active");
    for (const bool in_force : recorded.in_force) json.RawElement(in_force ? "true" : "false");
    json.EndArray();
    json.Raw("event", ToJson(ToEvent(recorded.repair, recorded.time)));
    json.EndObject();
  }
  json.EndArray();
}

CommandResult Undo(Context& context, const ConversationId& id, Seq seq) {
  const auto log = TURNLOG_TRY(OpenToChange(context, "repairs"));
  TURNLOG_TRY(FindConversation(*log, id));
  const Seq undone = TURNLOG_TRY(UndoRepair(*log, id, seq));
  TURNLOG_TRY(log->Close());
  if (context.globals.json) {
    JsonDocument(context.out).Field("seq", undone);
  } else {
    context.messages.Note(fmt::format("event {} undoes the repair in event {}; to reinstate the repair: --undo {}",
                                      undone.value, seq.value, undone.value));
  }
  return kFine;
}

CommandResult Run(Context& context, const Options& options) {
  const auto id = TURNLOG_TRY(ParseConversation(options.conversation));
  if (options.undo) return Undo(context, id, Seq{*options.undo});
  const auto log = TURNLOG_TRY(OpenToRead(context));
  TURNLOG_TRY(FindConversation(*log, id));
  const auto all = TURNLOG_TRY(ListRepairs(*log, id));
  context.globals.json ? PrintJson(context, all) : PrintTable(context, all);
  return kFine;
}

}  // namespace

Action DefineRepairs(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "CONV", options->conversation, "The conversation").Required();
  AddNumber(app, "--undo", options->undo, "Undo the repair in this event", "EVENT");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
