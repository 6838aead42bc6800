// The hook of agent tools, and its entries in their settings.
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): signal sets are POSIX
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include "base/file_system.h"
#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/settings_file.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/hooks/agent_hook.h"
#include "turnlog/hooks/hook_settings.h"
#include "turnlog/service/remote_log.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string action;
  std::optional<std::string> tool, settings, on_timeout;
  std::optional<std::uint64_t> timeout;
};

// Claude Code shows its own prompt meanwhile; Codex shows it only when the hook has ended.
std::chrono::seconds TimeoutOf(const Options& options, AgentTool tool) {
  constexpr std::uint64_t kHalfADay = 12 * 60 * 60, kMinute = 60, kWeek = 7 * 24 * 60 * 60;
  const std::uint64_t usual = tool == AgentTool::kClaudeCode ? kHalfADay : kMinute;
  return std::chrono::seconds(std::min(options.timeout.value_or(usual), kWeek));
}

// --- As a hook ---

constexpr unsigned kAbandonSeconds = 5;  // a service that hangs does not hold the tool

bool IsServiceUrl(std::string_view location) {
  return location.starts_with("http://") || location.starts_with("https://") || location.starts_with("unix:");
}

Expected<std::string> ServiceLocation(Context& context) {
  std::string location = TURNLOG_TRY(StoreLocation(context));
  if (IsServiceUrl(location)) return location;
  return "unix:" + ServiceSocket(location).string();
}

// The tool ends the hook when its user has answered at its own prompt, or ends itself.
void AbandonOnSignal(std::shared_ptr<AgentHook> hook) {
  sigset_t ends{};
  (void)::sigemptyset(&ends);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) (void)::sigaddset(&ends, signal);
  (void)::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::thread([ends, hook = std::move(hook)] {
    int signal = 0;
    (void)::sigwait(&ends, &signal);
    (void)::pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);  // the next one ends the process
    (void)::alarm(kAbandonSeconds);
    if (!hook->Abandon()) ::_exit(kFine);  // nothing waits: the tool goes on as without a hook
  }).detach();
}

CommandResult RunHook(Context& context, const Options& options, AgentTool tool) {
  const std::string location = TURNLOG_TRY(ServiceLocation(context));
  const char* const token = std::getenv("TURNLOG_TOKEN");
  const pid_t parent = ::getppid();
  const auto hook = std::make_shared<AgentHook>(
      AgentHookOptions{.tool = tool,
                       .timeout = TimeoutOf(options, tool),
                       .on_timeout = options.on_timeout == "deny" ? AgentHookOptions::OnTimeout::kDeny
                                                                  : AgentHookOptions::OnTimeout::kAsk,
                       .open = [&] { return OpenRemoteLog(location, {.token = token == nullptr ? "" : token}); },
                       .orphaned = [parent] { return ::getppid() != parent; }});
  AbandonOnSignal(hook);
  const std::string input = TURNLOG_TRY(ReadInput("/dev/stdin"));
  const std::string reply = TURNLOG_TRY(hook->Handle(input));
  if (!reply.empty()) context.out.Write(reply + "\n");
  return kFine;
}

// --- Its entries ---

Expected<fs::path> SettingsPath(const Options& options, AgentTool tool) {
  if (options.settings) return *options.settings;
  const bool claude = tool == AgentTool::kClaudeCode;
  const fs::path name = claude ? "settings.json" : "hooks.json";
  const char* const folder = std::getenv(claude ? "CLAUDE_CONFIG_DIR" : "CODEX_HOME");
  if (folder != nullptr && *folder != '\0') return folder / name;
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return WrongUsage("HOME is not set", "name the file: --settings FILE");
  return fs::path(home) / (claude ? ".claude" : ".codex") / name;
}

Expected<HookCommand> CommandOf(Context& context, const Options& options, AgentTool tool) {
  const std::string location = TURNLOG_TRY(StoreLocation(context));
  const bool is_url = IsServiceUrl(location);
  std::error_code error;
  HookCommand command{.program = fs::read_symlink("/proc/self/exe", error).string(),
                      .timeout = TimeoutOf(options, tool)};
  if (error) return Failed("cannot find the path of this program: " + error.message());
  const std::string store = is_url ? location : fs::absolute(location, error).lexically_normal().string();
  command.arguments = fmt::format("--store {} --timeout {}", ShellWord(store), command.timeout.count());
  if (options.on_timeout) command.arguments += " --on-timeout " + *options.on_timeout;
  return command;
}

CommandResult ChangeSettings(Context& context, const Options& options, AgentTool tool) {
  const fs::path path = TURNLOG_TRY(SettingsPath(options, tool));
  SettingsFile file = TURNLOG_TRY(SettingsFile::Read(path));
  const auto changed = options.action == "install"
                           ? WithHooks(tool, file.text(), TURNLOG_TRY(CommandOf(context, options, tool)))
                           : WithoutHooks(tool, file.text());
  if (!changed) return Failed(Named(path.string(), changed.error().message));
  const std::string backup = TURNLOG_TRY(file.Replace(*changed));
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Field("file", file.path().string());
    json.Field("changed", *changed != file.text());
    if (!backup.empty()) json.Field("backup", backup);
    return kFine;
  }
  if (*changed == file.text()) {
    context.messages.Note(fmt::format("nothing to change in {}", Printable(file.path().string())));
    return kFine;
  }
  context.out.Write(fmt::format("changed {}\n", Printable(file.path().string())));
  if (!backup.empty()) context.messages.Note(fmt::format("the old file is {}", Printable(backup)));
  if (options.action == "install" && tool == AgentTool::kCodex) {
    context.messages.Note("Codex runs new hooks only when they are trusted: review them with /hooks");
  }
  return kFine;
}

CommandResult Run(Context& context, const Options& options) {
  if (const auto tool = ParseAgentTool(options.action)) {
    if (options.tool || options.settings) return WrongUsage("--settings and TOOL are for install and uninstall");
    return RunHook(context, options, *tool);
  }
  const auto tool = ParseAgentTool(options.tool.value_or(""));
  if (!tool) return WrongUsage("no tool given", fmt::format("logctl hook {} claude-code, or codex", options.action));
  return ChangeSettings(context, options, *tool);
}

}  // namespace

Action DefineHook(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "ACTION", options->action,
          "claude-code or codex: handle an event of this tool; install or uninstall: change its settings")
      .Required()
      .OneOf({"claude-code", "codex", "install", "uninstall"});
  AddText(app, "TOOL", options->tool, "The tool whose settings are changed").OneOf({"claude-code", "codex"});
  AddNumber(app, "--timeout", options->timeout,
            "Wait so long for an answer; default: 12 hours for claude-code, 60 seconds for codex", "SECONDS");
  AddText(app, "--on-timeout", options->on_timeout, "ask (the tool asks itself, the default) or deny", "WHAT")
      .OneOf({"ask", "deny"});
  AddText(app, "--settings", options->settings, "The settings, instead of those in the home folder", "FILE");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
