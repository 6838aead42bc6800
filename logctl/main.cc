#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGPIPE is POSIX
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <optional>

#include "logctl/command_line.h"
#include "logctl/pager.h"
#include "logctl/text.h"

namespace turnlog {
namespace {

// A store's file must never get the number of a standard stream that the caller closed: what is printed would land in
// it. Opened the wrong way round, so that using it fails as it would have.
void OccupyStandardStreams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) == -1) (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

bool Pages(const CommandLine::Request& request) {
  const auto* run = std::get_if<CommandLine::Run>(&request);
  return run != nullptr ? run->pages : std::holds_alternative<std::string>(request);
}

CommandResult Run(Context& context, const CommandLine::Request& request) {
  if (const auto* failure = std::get_if<Failure>(&request)) return std::unexpected(*failure);
  if (const auto* run = std::get_if<CommandLine::Run>(&request)) return run->action(context);
  context.out.Write(std::get<std::string>(request));
  return kFine;
}

int RunLogctl(std::span<char* const> words) {
  CommandLine line;
  const CommandLine::Request request = line.Parse(words);
  Output out(line.globals().color);
  Messages messages(line.globals().color, line.globals().quiet);
  Context context{line.globals(), out, messages};
  std::optional<Pager> pager;
  if (out.is_terminal() && !line.globals().no_pager && Pages(request)) pager.emplace();
  CommandResult finished = Run(context, request);
  messages.EndProgress();
  const Status written = out.Finish();
  pager.reset();
  if (finished && !written) finished = std::unexpected(Failure(written.error()));
  if (finished) return *finished;
  messages.Report(finished.error());
  return finished.error().exit_code;
}

}  // namespace
}  // namespace turnlog

int main(int argc, char** argv) {
  turnlog::OccupyStandardStreams();
  (void)::signal(SIGPIPE, SIG_IGN);  // a reader that goes away ends the output, not the process
  (void)::signal(SIGXFSZ, SIG_IGN);  // a limit of files' sizes is an error of the write, not the end
  try {
    return turnlog::RunLogctl(std::span<char* const>(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0));
  } catch (const std::exception& error) {  // CLI11, fmt and memory
    (void)std::fputs(fmt::format("logctl: {}\n", turnlog::Printable(error.what())).c_str(), stderr);
    return turnlog::kFailed;
  }
}
