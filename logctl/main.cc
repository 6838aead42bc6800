#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGPIPE is POSIX
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <string_view>

#include "logctl/command_line.h"
#include "logctl/pager.h"
#include "logctl/text.h"

namespace turnlog {
namespace {

// If the caller has closed a standard stream, a file of the store would get its number, and output would be written
// into the store. /dev/null takes the number, opened in the wrong direction, so that using the stream still fails.
void OccupyStandardStreams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) == -1) (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

bool UsesPager(const CommandLine::Request& request) {
  const auto* run = std::get_if<CommandLine::Run>(&request);
  return run != nullptr ? run->uses_pager : std::holds_alternative<std::string>(request);
}

CommandResult Run(Context& context, const CommandLine::Request& request) {
  if (const auto* failure = std::get_if<Failure>(&request)) return std::unexpected(*failure);
  if (const auto* run = std::get_if<CommandLine::Run>(&request)) return run->action(context);
  context.out.Write(std::get<std::string>(request));
  return kFine;
}

// An agent tool takes exit code 2 of its hook for the decision not to go on. A hook that is used wrongly decides
// nothing.
int ExitCodeOf(const Failure& failure, const CommandLine& line, std::span<char* const> typed) {
  const auto changes_settings = [](std::string_view word) { return word == "install" || word == "uninstall"; };
  const bool is_hook = line.command() == "hook" && std::ranges::none_of(typed, changes_settings);
  return is_hook && failure.exit_code == kUsage ? kFailed : failure.exit_code;
}

int RunLogctl(std::span<char* const> typed) {
  CommandLine line;
  const CommandLine::Request request = line.Parse(typed);
  Output out(line.globals().color);
  Messages messages(line.globals().color, line.globals().quiet);
  Context context{line.globals(), out, messages};
  std::optional<Pager> pager;
  if (out.is_terminal() && !line.globals().no_pager && UsesPager(request)) pager.emplace();
  CommandResult result = Run(context, request);
  messages.EndProgress();
  const Status written = out.Finish();
  pager.reset();
  if (result && !written) result = std::unexpected(Failure(written.error()));
  if (result) return *result;
  messages.Report(result.error());
  return ExitCodeOf(result.error(), line, typed);
}

}  // namespace
}  // namespace turnlog

int main(int argc, char** argv) {
  turnlog::OccupyStandardStreams();
  (void)::signal(SIGPIPE, SIG_IGN);  // a closed pipe ends the output, not the process
  (void)::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error of the write
  try {
    return turnlog::RunLogctl(std::span<char* const>(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0));
  } catch (const std::exception& error) {  // CLI11, fmt and memory
    (void)std::fputs(fmt::format("logctl: {}\n", turnlog::Printable(error.what())).c_str(), stderr);
    return turnlog::kFailed;
  }
}
