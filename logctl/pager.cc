#include "logctl/pager.h"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is POSIX
#include <spawn.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>

namespace turnlog {
namespace {

constexpr const char* kUsual = "if command -v less >/dev/null 2>&1; then exec less; else exec cat; fi";
// Of the shell: the command is not there, or cannot be run. Nothing has read the output then.
constexpr std::string_view kElseDirectly = "\ncase $? in 126|127) exec cat ;; esac";
// While the pager runs, the shell waits for it, whatever keys end the pager's own work.
constexpr std::string_view kWaiting = "trap : INT QUIT\n";
constexpr std::array kSignals{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

// For the signal handler: one pager at a time.
pid_t pager_process = -1;  // NOLINT(readability-identifier-naming): they change
int terminal_output = -1;  // NOLINT(readability-identifier-naming)

// Closes the pager's input by giving standard output back to the terminal, then waits for the pager: otherwise it would
// read keys beside the shell.
void EndPager() {
  (void)::dup2(terminal_output, STDOUT_FILENO);
  while (::waitpid(pager_process, nullptr, 0) == -1 && errno == EINTR) {
  }
}

void OnSignal(int signal) {
  EndPager();
  (void)::signal(signal, SIG_DFL);
  (void)::raise(signal);
}

pid_t Spawn(std::string_view command, int input) {
  std::string script = std::string(kWaiting).append(command).append(kElseDirectly);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::array<char*, 4> words{const_cast<char*>("sh"), const_cast<char*>("-c"), script.data(), nullptr};
  pid_t process = -1;
  if (::posix_spawn(&process, "/bin/sh", &actions, &attributes, words.data(), environ) != 0) process = -1;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return process;
}

}  // namespace

Pager::Pager() {
  const char* const chosen = ::getenv("PAGER");
  const std::string_view command = chosen != nullptr ? chosen : kUsual;
  if (!command.empty() && command != "cat") Start(command);
}

void Pager::Start(std::string_view command) {
  std::array<int, 2> ends{-1, -1};
  terminal_output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (terminal_output < 0 || ::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  (void)::setenv("LESS", "FRX", 0);  // quit if it fits, show colours, leave the screen as it is
  (void)::setenv("LV", "-c", 0);
  pager_process = Spawn(command, ends[0]);
  if (pager_process > 0) {
    (void)::dup2(ends[1], STDOUT_FILENO);
    for (const int signal : kSignals) (void)::signal(signal, OnSignal);
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

Pager::~Pager() {
  if (pager_process <= 0) return;
  EndPager();
  for (const int signal : kSignals) (void)::signal(signal, SIG_DFL);
  pager_process = -1;
}

}  // namespace turnlog
