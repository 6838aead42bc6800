#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <system_error>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/migrate/resume.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string conversation, tool;
  std::optional<std::string> cwd, home;
  bool dry_run = false;
  ExportOptions session;
};

Expected<fs::path> FolderOf(const Options& options) {
  std::error_code error;
  fs::path folder = fs::canonical(options.cwd.value_or("."), error);
  if (error || !fs::is_directory(folder, error)) {
    return WrongUsage(fmt::format("--cwd: {} is no folder", options.cwd.value_or(".")));
  }
  return folder;
}

// Without --home, the tool's own variable says where its folder is.
Expected<fs::path> RootOf(SessionTool tool, const Options& options) {
  std::error_code error;
  if (options.home) return ToolRoot(tool, fs::absolute(*options.home, error));
  const char* const variable = ToolRootVariable(tool);
  const char* const named = variable == nullptr ? nullptr : std::getenv(variable);
  if (named != nullptr && *named != '\0') return ToolRootFrom(tool, fs::absolute(named, error));
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return WrongUsage("HOME is not set", "name the home folder: --home DIR");
  return ToolRoot(tool, home);
}

void Print(Context& context, const Options& options, const ResumeReport& report) {
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Field("session", report.session);
    json.Field("file", report.file.string());
    if (!report.database.empty()) json.Field("index", report.database.string());
    json.Field("command", report.command);
    json.Field("written", !options.dry_run);
    return;
  }
  for (const ExportChange& change : report.changes.changes) {
    context.messages.Note(fmt::format("{}: {} {}", change.conversation, change.what, change.count));
  }
  const std::string_view verb = options.dry_run ? "would write" : "wrote";
  context.messages.Note(fmt::format("{} {}", verb, Printable(report.file.string())));
  if (!report.database.empty()) {
    context.messages.Note(fmt::format("{} a row of {}", verb, Printable(report.database.string())));
  }
  context.out.Write(Printable(report.command) + "\n");
}

CommandResult Run(Context& context, const Options& options) {
  if (options.session.same_account && options.session.model.empty()) return WrongUsage("--same-account needs --model");
  const SessionTool tool = *FindSessionTool(options.tool);  // OneOf has checked it
  const ResumeTarget target{
      .tool = tool, .root = TURNLOG_TRY(RootOf(tool, options)), .folder = TURNLOG_TRY(FolderOf(options))};
  const auto log = TURNLOG_TRY(OpenToRead(context));
  const std::vector<std::string> names{options.conversation};
  const auto ids = TURNLOG_TRY(FindConversations(*log, names));
  const auto report = WriteForResume(*log, ids.front(), target, options.session, options.dry_run);
  if (!report) return std::unexpected(Failure(report.error()));
  Print(context, options, *report);
  return kFine;
}

}  // namespace

Action DefineResume(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "CONV", options->conversation, "The conversation", "CONV").Required();
  std::vector<std::string> tools;
  for (const SessionTool tool : AllSessionTools()) tools.emplace_back(ToString(tool));
  AddText(app, "--in", options->tool, "The tool to go on in: claude-code, codex, opencode or gemini", "TOOL")
      .Required()
      .OneOf(tools);
  AddText(app, "--cwd", options->cwd, "The folder to go on in; default: the current one", "DIR");
  AddText(app, "--home", options->home, "The home folder of the user who runs the tool; default: yours", "DIR");
  AddText(app, "--model", options->session.model, "The model that goes on", "MODEL");
  AddFlag(app, "--same-account", options->session.same_account,
          "For the account that made the responses, so that reasoning sealed by --model goes along");
  AddFlag(app, "--full", options->session.full, "Also the turns that compactions have replaced by summaries");
  AddFlag(app, "--dry-run", options->dry_run, "Check everything, print the command, write nothing");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
