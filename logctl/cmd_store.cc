// Making a store and copying one into another, of any engine.
#include <fmt/format.h>

#include <memory>
#include <tuple>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/copy_log.h"
#include "turnlog/segment_log.h"
#include "turnlog/service/remote_compression.h"

namespace turnlog {
namespace {

struct StoreArguments {
  std::string action, compression;
  std::vector<std::string> locations;
};

Status SetIfGiven(Log& log, const StoreArguments& arguments) {
  const auto compression = ParseCompression(arguments.compression);
  if (!compression) return {};
  const Status set = SetCompression(log, *compression);
  if (set || set.error().code != ErrorCode::kUnsupported) return set;
  const Status through = SetCompressionThroughService(log, arguments.compression);
  return !through && through.error().code == ErrorCode::kUnsupported ? set : through;
}

CommandResult Set(Context& context, const StoreArguments& arguments, const std::string& location) {
  const auto log = TURNLOG_TRY(OpenAt(context, location, {.mode = OpenMode::kWrite, .holder = "logctl store set"}));
  TURNLOG_TRY(SetIfGiven(*log, arguments));
  const StoreStats stats = TURNLOG_TRY(log->Stats());
  if (context.globals.json) {
    JsonDocument(context.out).Field("compression", stats.compression);
  } else {
    context.out.Write(fmt::format("compression of new events: {}\n", stats.compression));
  }
  return kFine;
}

CommandResult Init(Context& context, const StoreArguments& arguments, const std::string& location) {
  const auto log = TURNLOG_TRY(OpenMigrated(context, location, "store init"));
  TURNLOG_TRY(SetIfGiven(*log, arguments));
  const StoreStats stats = TURNLOG_TRY(log->Stats());
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Field("store_id", stats.store_id);
    json.Field("engine", stats.engine);
    json.Field("format_version", std::uint64_t{stats.format_version});
  } else {
    context.out.Write(
        fmt::format("store {}, engine {}, format {}\n", stats.store_id, stats.engine, stats.format_version));
  }
  return kFine;
}

void PrintCopy(Context& context, const CopyReport& report) {
  if (!context.globals.json) {
    context.out.Write(fmt::format("copied {}; {} of {} are equal\n", Counted(report.copied_events, "event"),
                                  Counted(report.events, "event"), Counted(report.conversations, "conversation")));
    return;
  }
  JsonDocument json(context.out);
  json.Field("conversations", report.conversations);
  json.Field("events", report.events);
  json.Field("copied_events", report.copied_events);
  json.Array("problems");
  for (const CopyProblem& problem : report.problems) {
    json.Object();
    json.Field("conversation", problem.conversation);
    json.Field("seq", problem.seq);
    json.Field("reason", problem.reason);
    json.EndObject();
  }
  json.EndArray();
}

// A store that is in use already keeps its setting.
Expected<void> SetForCopy(Log& copy, const StoreArguments& arguments) {
  if (arguments.compression.empty()) return {};
  const StoreStats stats = TURNLOG_TRY(copy.Stats());
  if (stats.events > 0 && stats.compression != arguments.compression) {
    return Failed(fmt::format("the copy has events already, and compression {}", stats.compression),
                  "logctl store set changes it");
  }
  TURNLOG_TRY(SetIfGiven(copy, arguments));
  return {};
}

CommandResult Copy(Context& context, const StoreArguments& arguments) {
  const auto& [from, to] = std::tie(arguments.locations[0], arguments.locations[1]);
  const auto source = TURNLOG_TRY(OpenAt(context, from, {.mode = OpenMode::kRead, .holder = {}}));
  const auto copy = TURNLOG_TRY(OpenAt(context, to, {.mode = OpenMode::kCreate, .holder = "logctl store copy"}));
  TURNLOG_TRY(SetForCopy(*copy, arguments));
  const auto report = CopyLog(*source, *copy, [&](std::uint64_t done, std::uint64_t total) {
    context.messages.Progress("copying", done, total);
  });
  context.messages.EndProgress();
  if (!report) return std::unexpected(Failure(report.error()));
  TURNLOG_TRY(copy->Close());
  PrintCopy(context, *report);
  for (const CopyProblem& problem : report->problems) {
    context.messages.Warn(
        fmt::format("conversation \"{}\", event {}: {}", problem.conversation, problem.seq, problem.reason));
  }
  return report->problems.empty() ? kFine : kFailed;
}

CommandResult Run(Context& context, const StoreArguments& arguments) {
  const std::vector<std::string>& locations = arguments.locations;
  if (arguments.action != "copy") {
    if (locations.size() > 1) return WrongUsage("store " + arguments.action + " takes one location");
    const std::string location = locations.empty() ? TURNLOG_TRY(StoreLocation(context)) : locations.front();
    if (arguments.action == "init") return Init(context, arguments, location);
    if (arguments.compression.empty()) return WrongUsage("nothing to set", "logctl store set --compression fast");
    return Set(context, arguments, location);
  }
  if (locations.size() != 2) return WrongUsage("store copy takes two locations", "logctl store copy FROM TO");
  return Copy(context, arguments);
}

}  // namespace

Action DefineStore(CLI::App& app) {
  auto arguments = std::make_shared<StoreArguments>();
  AddText(app, "ACTION", arguments->action, "init, copy or set").Required().OneOf({"init", "copy", "set"});
  AddTexts(app, "LOCATION", arguments->locations, "Folders, postgresql: URLs or running services");
  AddText(app, "--compression", arguments->compression, "How new events are stored; copy: those of the copy")
      .OneOf({"none", "fast", "small"});
  return [arguments](Context& context) { return Run(context, *arguments); };
}

}  // namespace turnlog
