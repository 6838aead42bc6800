#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/file_system.h"
#include "base/try.h"
#include "logctl/command.h"
#include "logctl/doctor_report.h"
#include "logctl/private_memory.h"

namespace turnlog {
namespace {

struct Options {
  std::vector<std::string> paths;
  std::string out, apply, relocate;
  bool in_place = false, plan = false, check = false, close_open = false, redact = false, no_secrets = false;
  std::optional<std::uint64_t> idle, jobs;
};

Expected<DoctorAction> ActionOf(const Options& options) {
  const int actions =
      (options.in_place ? 1 : 0) + (options.plan ? 1 : 0) + (options.check ? 1 : 0) + (options.out.empty() ? 0 : 1);
  if (actions > 1) return WrongUsage("give one of --out, --in-place, --plan and --check");
  if (options.idle && !options.in_place) return WrongUsage("--idle goes with --in-place only");
  if (options.check) return DoctorAction::kExamine;
  if (options.plan) return DoctorAction::kPlan;
  return options.in_place ? DoctorAction::kReplace : DoctorAction::kCopy;
}

// OLD=NEW, both absolute.
Expected<FolderRename> ReadRename(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return WrongUsage("--relocate takes OLD=NEW");
  FolderRename rename{text.substr(0, equals), text.substr(equals + 1)};
  for (std::string* path : {&rename.from, &rename.to}) {
    while (path->size() > 1 && path->ends_with('/')) path->pop_back();
    if (!path->starts_with('/') || path->size() == 1) return WrongUsage("--relocate takes absolute paths of folders");
  }
  return rename;
}

ExitCode CodeOf(const DoctorReport& report, bool check) {
  const auto failed = [](const SessionReport& session) { return session.problem && !session.is_busy(); };
  const auto unread = [](const SurroundingReport& some) { return !some.not_read.empty() || !some.not_cleaned.empty(); };
  if (std::ranges::any_of(report.surroundings, unread)) return kFailed;
  if (!report.problems.empty() || std::ranges::any_of(report.sessions, failed)) return kFailed;
  const auto in_use = [](const SurroundingReport& some) { return !some.busy.empty(); };
  if (std::ranges::any_of(report.sessions, &SessionReport::is_busy)) return kBusy;
  if (std::ranges::any_of(report.surroundings, in_use)) return kBusy;
  const auto found = [](const SessionReport& session) { return !session.findings.empty(); };
  const bool any = !report.indexes.empty() || std::ranges::any_of(report.sessions, found);
  return check && any ? kFound : kFine;
}

CommandResult Apply(Context& context, const Options& options, DoctorOptions how) {
  const bool examines = options.close_open || options.redact || options.no_secrets;
  if (options.plan || options.check || examines || !options.paths.empty()) {
    return WrongUsage("--apply takes the sessions from the plan, and goes with --out, --in-place and --idle only");
  }
  how.secrets = false;
  const std::string text = TURNLOG_TRY(ReadInput(options.apply));
  auto plan = ReadPlan(text);
  if (!plan) return Failed(Named(options.apply, plan.error().message));
  std::vector<std::string> notes = ApplyPlan(*plan, how);
  const DoctorReport report{.sessions = *std::move(plan), .notes = std::move(notes)};
  PrintDoctorReport(context, report, how);
  return CodeOf(report, false);
}

CommandResult Run(Context& context, const Options& options) {
  KeepMemoryPrivate();
  DoctorOptions how{.action = TURNLOG_TRY(ActionOf(options)), .out = options.out};
  how.close_open = options.close_open;
  how.redact = options.redact;
  how.secrets = !options.no_secrets;
  how.jobs = TURNLOG_TRY(JobsOf(options.jobs));
  if (options.idle) how.idle_seconds = *options.idle;
  if (!options.relocate.empty()) {
    if (options.plan || !options.apply.empty()) return WrongUsage("--relocate goes with neither --plan nor --apply");
    how.rename = TURNLOG_TRY(ReadRename(options.relocate));
  }
  if (!options.apply.empty()) return Apply(context, options, how);
  if (options.paths.empty())
    return WrongUsage("no path given", "name files or folders, such as ~ for the sessions of all tools");
  const std::vector<std::filesystem::path> paths(options.paths.begin(), options.paths.end());
  const DoctorReport report = TURNLOG_TRY(ExamineSessions(paths, how));
  if (how.action == DoctorAction::kPlan) {
    PrintDoctorProblems(context, report);
    context.out.WriteJson(WritePlan(report));
  } else {
    PrintDoctorReport(context, report, how);
  }
  return CodeOf(report, options.check);
}

}  // namespace

Action DefineDoctor(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddTexts(app, "PATH", options->paths,
           "Sessions, or folders with them, such as your home; symbolic links in folders are not followed");
  AddText(app, "--out", options->out, "Write mended copies into this folder", "DIR");
  AddFlag(app, "--in-place", options->in_place, "Replace the sessions by mended ones");
  AddNumber(app, "--idle", options->idle, "With --in-place: for how many seconds a file must be unchanged; default: 60",
            "SECONDS");
  AddFlag(app, "--plan", options->plan, "Write nothing but a plan of the edits, to standard output");
  AddText(app, "--apply", options->apply, "Carry out the plan in this file", "FILE");
  AddFlag(app, "--check", options->check, "Write nothing; exit with 3 if a rule is broken");
  AddFlag(app, "--close-open", options->close_open, "Also add results to calls that may be running");
  AddFlag(app, "--redact", options->redact, "Replace presumed secrets; with --in-place no backup is kept");
  AddText(
      app, "--relocate", options->relocate,
      "A project's folder was renamed: write the new name into `cwd` fields; with --in-place, also move sessions of "
      "Claude Code",
      "OLD=NEW");
  AddFlag(app, "--no-secrets", options->no_secrets, "Do not search for secrets");
  AddNumber(app, "--jobs", options->jobs, "Threads; default: one per processor");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
