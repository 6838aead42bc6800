#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/report_fields.h"
#include "logctl/store_access.h"
#include "logctl/table.h"
#include "logctl/text.h"
#include "turnlog/migrate/usage.h"

namespace turnlog {
namespace {

struct Options {
  std::vector<std::string> conversations;
  std::string by = "model";
};

UsageBy ByOf(const std::string& by) {
  if (by == "day") return UsageBy::kDay;
  return by == "model" ? UsageBy::kModel : UsageBy::kConversation;
}

void AddFields(JsonDocument& json, const UsageRow& row) {
  json.Field("messages", row.messages);
  json.Field("input", row.tokens.input);
  json.Field("cache_write", row.tokens.cache_write);
  json.Field("cache_read", row.tokens.cache_read);
  json.Field("output", row.tokens.output);
  json.Field("reasoning", row.tokens.reasoning);
}

void PrintJson(Context& context, const std::string& by, const UsageReport& report) {
  JsonDocument json(context.out);
  json.Array("usage");
  for (const UsageRow& row : report.rows) {
    json.Object();
    if (!row.name.empty()) json.Field(by, row.name);
    AddFields(json, row);
    json.EndObject();
  }
  json.EndArray();
  json.Object("sum");
  AddFields(json, report.sum);
  json.EndObject();
  json.Array("uncounted");
  for (const auto& [format, conversations] : report.uncounted) {
    json.Object();
    if (!format.empty()) json.Field("format", format);
    json.Field("conversations", conversations);
    json.EndObject();
  }
  json.EndArray();
  AddDamage(json, report.damage);
}

// The conversations that are not in the sum.
void NoteUncounted(Context& context, const UsageReport& report) {
  std::string formats;
  for (const auto& [format, conversations] : report.uncounted) {
    formats += formats.empty() ? ": " : ", ";
    formats += Thousands(conversations) + (format.empty() ? " not imported" : " of " + Printable(format));
  }
  if (report.rows.empty()) return context.messages.Note("no conversation says what it has cost" + formats);
  if (!formats.empty()) context.messages.Note("some conversations do not say what they have cost" + formats);
}

void PrintTable(Context& context, const std::string& by, const UsageReport& report) {
  using enum Table::Align;
  std::string header = by;
  for (char& c : header) c = static_cast<char>(c - 'a' + 'A');
  Table table({{header},
               {"MESSAGES", kRight},
               {"INPUT", kRight},
               {"CACHE WRITE", kRight},
               {"CACHE READ", kRight},
               {"OUTPUT", kRight},
               {"REASONING", kRight}});
  const auto add = [&](std::string name, const UsageRow& row) {
    const TokenUsage& tokens = row.tokens;
    table.Add({std::move(name), Thousands(row.messages), Thousands(tokens.input), Thousands(tokens.cache_write),
               Thousands(tokens.cache_read), Thousands(tokens.output), Thousands(tokens.reasoning)});
  };
  for (const UsageRow& row : report.rows) add(row.name.empty() ? "-" : Printable(row.name), row);
  if (report.rows.size() > 1) add("sum", report.sum);
  table.Print(context.out);
  NoteUncounted(context, report);
}

Expected<std::vector<ConversationId>> Conversations(Log& log, const Options& options) {
  if (!options.conversations.empty()) return FindConversations(log, options.conversations);
  std::vector<ConversationId> ids;
  const auto on_page = [&](const std::vector<ConversationInfo>& page) -> Expected<bool> {
    for (const ConversationInfo& info : page) ids.push_back(TURNLOG_TRY(ParseConversation(info.id)));
    return true;
  };
  TURNLOG_TRY(ForEachPage(log, on_page));
  return ids;
}

CommandResult Run(Context& context, const Options& options) {
  const auto log = TURNLOG_TRY(OpenToRead(context));
  const auto conversations = TURNLOG_TRY(Conversations(*log, options));
  const UsageReport report = TURNLOG_TRY(CountUsage(*log, ByOf(options.by), conversations));
  for (const Damage& damage : report.damage) context.messages.Report(damage);
  context.globals.json ? PrintJson(context, options.by, report) : PrintTable(context, options.by, report);
  return report.damage.empty() ? kFine : kFailed;
}

}  // namespace

Action DefineUsage(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddTexts(app, "CONV", options->conversations, "Conversations; without any: all of them");
  AddText(app, "--by", options->by, "day (UTC), model (default) or conversation", "WHAT")
      .OneOf({"day", "model", "conversation"});
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
