#include "tests/logctl/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <spawn.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): terminals are POSIX
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace turnlog {
namespace {

struct Pipe {
  Pipe() { EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0); }
  ~Pipe() {
    CloseRead();
    CloseWrite();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read() const { return ends[0]; }
  int write() const { return ends[1]; }
  void CloseRead() { Close(0); }
  void CloseWrite() { Close(1); }
  void Close(std::size_t end) {
    if (ends[end] >= 0) ::close(std::exchange(ends[end], -1));
  }

  std::array<int, 2> ends{-1, -1};
};

std::vector<char*> Pointers(const Strings& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Standard input, output and error are moved to these; a negative one is /dev/null, or the test's for errors.
pid_t Spawn(const Strings& words, int input, int output, int error, const Strings& environment) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input >= 0) {
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  if (error >= 0) posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO);
  pid_t process = -1;
  EXPECT_EQ(::posix_spawnp(&process, words.front().c_str(), &actions, nullptr, Pointers(words).data(),
                           Pointers(environment).data()),
            0);
  posix_spawn_file_actions_destroy(&actions);
  return process;
}

int WaitFor(pid_t process, std::uint64_t* peak_kib = nullptr) {
  int status = 0;
  rusage usage{};
  while (::wait4(process, &status, 0, &usage) == -1 && errno == EINTR) {
  }
  if (peak_kib != nullptr) *peak_kib = static_cast<std::uint64_t>(usage.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Takes what is there into `text`; false at the end.
bool Take(int descriptor, std::string& text) {
  std::array<char, 65536> piece{};
  const ssize_t got = ::read(descriptor, piece.data(), piece.size());
  if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
  return got > 0;
}

// Writes the input and reads both outputs until the program has closed them.
void PumpStreams(Pipe& in, Pipe& out, Pipe& err, std::string_view input, Ran& ran) {
  if (input.empty()) in.CloseWrite();
  while (out.read() >= 0 || err.read() >= 0) {
    std::array<pollfd, 3> ends{{{out.read(), POLLIN, 0}, {err.read(), POLLIN, 0}, {in.write(), POLLOUT, 0}}};
    if (::poll(ends.data(), ends.size(), -1) < 0) continue;
    if (ends[0].revents != 0 && !Take(out.read(), ran.out)) out.CloseRead();
    if (ends[1].revents != 0 && !Take(err.read(), ran.err)) err.CloseRead();
    if (ends[2].revents == 0) continue;
    const ssize_t put = ::write(in.write(), input.data(), std::min<std::size_t>(input.size(), 4096));
    if (put > 0) input.remove_prefix(static_cast<std::size_t>(put));
    if (put < 0 || input.empty()) in.CloseWrite();
  }
}

Strings LogctlWords(Strings words) {
  words.insert(words.begin(), LogctlProgram());
  return words;
}

Ran Run(const Strings& words, const std::string& input, const Strings& environment) {
  (void)::signal(SIGPIPE, SIG_IGN);  // the program may not want its input
  Pipe in, out, err;
  Ran ran;
  const pid_t process = Spawn(words, in.read(), out.write(), err.write(), environment);
  in.CloseRead();
  out.CloseWrite();
  err.CloseWrite();
  PumpStreams(in, out, err, input, ran);
  ran.exit_code = WaitFor(process, &ran.peak_kib);
  return ran;
}

}  // namespace

const char* LogctlProgram() { return LOGCTL_PROGRAM; }

Ran RunProgram(const Strings& words, const std::string& input, const Strings& environment) {
  return Run(LogctlWords(words), input, environment);
}

Ran RunShell(const std::string& shell, const std::string& script) {
  return Run({shell, "-c", script, LogctlProgram()}, {}, {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8"});
}

std::string ShowOnTerminal(const Strings& words, const Strings& environment) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  EXPECT_TRUE(terminal >= 0 && ::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0);
  const int inside = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const pid_t process = Spawn(LogctlWords(words), -1, inside, inside, environment);
  ::close(inside);
  std::string shown;
  while (Take(terminal, shown)) {
  }
  ::close(terminal);
  (void)WaitFor(process);
  std::erase(shown, '\r');
  return shown;
}

Running::Running(const Strings& words, const std::string& error_file, const Strings& environment) {
  Pipe out;
  const int error = error_file.empty() ? -1 : ::open(error_file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  process_ = Spawn(LogctlWords(words), -1, out.write(), error, environment);
  if (error >= 0) ::close(error);
  output_ = std::exchange(out.ends[0], -1);
}

Running::~Running() {
  CloseOutput();
  if (process_ < 0) return;
  Signal(SIGKILL);
  (void)Wait();
}

std::string Running::ReadLine() {
  std::string line;
  char c = 0;
  while (::read(output_, &c, 1) == 1 && c != '\n') line.push_back(c);
  return line;
}

void Running::CloseOutput() {
  if (output_ >= 0) ::close(std::exchange(output_, -1));
}

// -1 would be every process there is.
void Running::Signal(int signal) {
  if (process_ > 0) ::kill(process_, signal);
}

int Running::Wait() { return WaitFor(std::exchange(process_, -1)); }

}  // namespace turnlog
