#include <array>
#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/conversation_list.h"
#include "logctl/json_document.h"
#include "logctl/report_fields.h"
#include "logctl/store_access.h"
#include "logctl/table.h"
#include "logctl/text.h"
#include "logctl/time_argument.h"

namespace turnlog {
namespace {

struct Options {
  std::string sort = "id";
  std::optional<std::string> since;
  std::optional<std::uint64_t> limit;
  bool reverse = false, pending = false, ids = false;
};

Expected<ConversationList> ListOf(const Options& options) {
  using enum ConversationList::Order;
  ConversationList list{.order = options.sort == "time"     ? kTime
                                 : options.sort == "size"   ? kSize
                                 : options.sort == "events" ? kEvents
                                                            : kId,
                        .reverse = options.reverse,
                        .pending = options.pending,
                        .limit = options.limit.value_or(UINT64_MAX)};
  if (options.since) list.since = TURNLOG_TRY(ParseTimeArgument("--since", *options.since));
  return list;
}

// Date and clock time.
std::string When(std::optional<Timestamp> time) {
  if (!time) return "-";
  std::array<char, 30> buffer{};
  std::string text(time->ToRfc3339(buffer).substr(0, 19));
  text[10] = ' ';
  return text;
}

std::size_t CountOf(const PendingCounts& counts, const ConversationInfo& info) {
  const auto count = counts.find(info.id);
  return count == counts.end() ? 0 : count->second;
}

Expected<void> PrintJson(Context& context, Log& log, const ConversationList& list, const PendingCounts& counts) {
  JsonDocument json(context.out);
  json.Array("conversations");
  const auto on_page = [&](const std::vector<ConversationInfo>& page) -> Expected<bool> {
    for (const ConversationInfo& info : page) {
      json.Object();
      AddFields(json, info, CountOf(counts, info));
      json.EndObject();
    }
    return !context.out.closed();
  };
  TURNLOG_TRY(list.ForEach(log, counts, on_page));
  json.EndArray();
  return {};
}

Expected<void> PrintTable(Context& context, Log& log, const ConversationList& list, const PendingCounts& counts,
                          bool all) {
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
      const std::size_t pending = CountOf(counts, info);
      table.Add({Printable(info.id), Thousands(info.last.value), Thousands(info.turns),
                 pending > 0 ? Thousands(pending) : "-", When(info.first_time), When(info.last_time),
                 HumanSize(info.bytes)});
    }
    table.Print(context.out);
    return !context.out.closed();
  };
  TURNLOG_TRY(list.ForEach(log, counts, on_page));
  if (empty) context.messages.Note(all ? "the store has no conversations" : "no conversation matches");
  return {};
}

Expected<void> PrintIdsAsJson(Context& context, Log& log, const ConversationList& list, const PendingCounts& counts) {
  JsonDocument json(context.out);
  json.Array("ids");
  const auto on_page = [&](const std::vector<ConversationInfo>& page) -> Expected<bool> {
    for (const ConversationInfo& info : page) json.Element(info.id);
    return !context.out.closed();
  };
  TURNLOG_TRY(list.ForEach(log, counts, on_page));
  json.EndArray();
  return {};
}

Expected<void> PrintIds(Context& context, Log& log, const ConversationList& list, const PendingCounts& counts) {
  return list.ForEach(log, counts, [&](const std::vector<ConversationInfo>& page) -> Expected<bool> {
    for (const ConversationInfo& info : page) {
      context.out.Write((context.out.is_terminal() ? Printable(info.id) : info.id) + "\n");
    }
    return !context.out.closed();
  });
}

CommandResult Run(Context& context, const Options& options) {
  const ConversationList list = TURNLOG_TRY(ListOf(options));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  const PendingCounts counts = options.ids && !options.pending ? PendingCounts() : TURNLOG_TRY(CountPending(*log));
  if (options.ids) {
    TURNLOG_TRY(context.globals.json ? PrintIdsAsJson(context, *log, list, counts)
                                     : PrintIds(context, *log, list, counts));
    return kFine;
  }
  const bool all = !list.pending && !list.since && list.limit > 0;
  TURNLOG_TRY(context.globals.json ? PrintJson(context, *log, list, counts)
                                   : PrintTable(context, *log, list, counts, all));
  return kFine;
}

}  // namespace

Action DefineLs(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "--sort", options->sort,
          "id (default), time (latest first), size (largest first) or events (most first)", "KEY")
      .OneOf({"id", "time", "size", "events"});
  AddFlag(app, "-r,--reverse", options->reverse, "Reverse the order");
  AddNumber(app, "--limit", options->limit, "List only the first N");
  AddTime(app, "--since", options->since, "Only conversations whose last event is not older");
  AddFlag(app, "--pending", options->pending, "Only conversations with pending inquiries");
  AddFlag(app, "--ids", options->ids, "Print only the ids, one per line");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
