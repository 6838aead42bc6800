// backup and restore.
#include <fmt/format.h>

#include <memory>

#include "base/try.h"
#include "logctl/backup_notes.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/report_fields.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/backup.h"

namespace turnlog {
namespace {

struct BackupArguments {
  std::string to;
  bool no_verify = false;
};

struct RestoreArguments {
  std::string from, to;
  bool partial = false;
};

// The fields of both reports.
template <class Report>
void AddVerified(JsonDocument& json, const Report& report) {
  json.Field("records", report.records);
  json.Field("events", report.events);
  json.Field("conversations", report.conversations);
  json.Field("damage_count", report.damage_count);
  AddDamage(json, report.damage);
}

template <class Report>
std::string VerifiedText(const Report& report) {
  return fmt::format("{}, {} of {}: {}", Counted(report.records, "record"), Counted(report.events, "event"),
                     Counted(report.conversations, "conversation"),
                     report.damage_count == 0 ? "clean" : Counted(report.damage_count, "damaged range"));
}

void PrintJson(Context& context, const BackupReport& report, bool verified) {
  JsonDocument json(context.out);
  json.Field("store_id", report.store_id);
  json.Field("incremental", report.incremental);
  json.Field("copied_bytes", report.copied_bytes);
  json.Field("erased_records", report.erased_frames);
  json.Field("verified", verified);
  if (verified) AddVerified(json, report);
  json.Array("outdated");
  for (const KnownBackup& backup : report.outdated) {
    json.Object();
    json.Field("folder", backup.folder);
    json.Field("time", backup.time);
    json.EndObject();
  }
  json.EndArray();
}

void PrintText(Context& context, const BackupReport& report, bool verified) {
  std::string text =
      fmt::format("copied {}{}\n", HumanSize(report.copied_bytes), report.incremental ? " of new records" : "");
  if (report.erased_frames > 0) {
    text += fmt::format("erased in the backup, as in the store: {}\n", Counted(report.erased_frames, "record"));
  }
  if (verified) text += fmt::format("verified {}\n", VerifiedText(report));
  context.out.Write(text);
}

CommandResult RunBackup(Context& context, const BackupArguments& arguments) {
  const auto path = TURNLOG_TRY(StorePath(context));
  const auto report = BackupStore(path, arguments.to,
                                  {.verify = !arguments.no_verify, .progress = ShowProgress(context, "backing up")});
  context.messages.EndProgress();
  std::error_code unknown;
  const bool has_store = std::filesystem::exists(path / "log", unknown);  // then it is the backup that is not found
  if (!report && has_store) return std::unexpected(Failure(report.error()));
  if (!report) return std::unexpected(StoreFailure(report.error(), path.string()));
  context.globals.json ? PrintJson(context, *report, !arguments.no_verify)
                       : PrintText(context, *report, !arguments.no_verify);
  for (const Damage& damage : report->damage) context.messages.Report(damage);
  WarnAbout(context.messages, report->outdated);
  return report->damage_count == 0 ? kFine : kFailed;
}

CommandResult RunRestore(Context& context, const RestoreArguments& arguments) {
  const auto report = RestoreStore(arguments.from, arguments.to,
                                   {.partial = arguments.partial, .progress = ShowProgress(context, "restoring")});
  context.messages.EndProgress();
  if (!report && report.error().code == ErrorCode::kCorruption && !arguments.partial) {
    return Failed(report.error().message, "--partial restores the intact records");
  }
  if (!report) return std::unexpected(Failure(report.error()));
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Field("store_id", report->store_id);
    AddVerified(json, *report);
  } else {
    context.out.Write(fmt::format("restored {}\n", VerifiedText(*report)));
  }
  for (const Damage& damage : report->damage) context.messages.Report(damage);
  return report->damage_count == 0 ? kFine : kFailed;
}

}  // namespace

Action DefineBackup(CLI::App& app) {
  auto arguments = std::make_shared<BackupArguments>();
  AddText(app, "DIR", arguments->to, "The folder of the backup").Required();
  AddFlag(app, "--no-verify", arguments->no_verify, "Do not read and verify the backup");
  return [arguments](Context& context) { return RunBackup(context, *arguments); };
}

Action DefineRestore(CLI::App& app) {
  auto arguments = std::make_shared<RestoreArguments>();
  AddText(app, "BACKUP", arguments->from, "The folder of the backup").Required();
  AddText(app, "DIR", arguments->to, "The folder of the new store; empty or new").Required();
  AddFlag(app, "--partial", arguments->partial, "Restore the intact records of a damaged backup");
  return [arguments](Context& context) { return RunRestore(context, *arguments); };
}

}  // namespace turnlog
