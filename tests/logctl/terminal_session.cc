#include "tests/logctl/terminal_session.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): terminals are POSIX
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace turnlog {
namespace {

constexpr int kPatienceMs = 60'000;  // before a test that hangs fails

std::vector<char*> Pointers(const Strings& strings) {
  std::vector<char*> pointers;
  for (const std::string& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

int WaitFor(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) == -1 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Begins a session at the terminal.
void LogIn(int terminal) {
  ::setsid();
  ::ioctl(terminal, TIOCSCTTY, 0);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(terminal, standard);
}

// Becomes the foreground job of the terminal, and writes its process id to `output`. A shell that starts the tests in
// the background has signals ignored, which would be inherited.
void BecomeForeground(int output) {
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP}) ::signal(signal, SIG_DFL);
  const pid_t own = ::getpid();
  ::setpgid(0, 0);
  ::signal(SIGTTOU, SIG_IGN);
  ::tcsetpgrp(STDIN_FILENO, own);
  ::signal(SIGTTOU, SIG_DFL);
  (void)!::write(output, &own, sizeof own);
}

}  // namespace

TerminalSession::TerminalSession(const Strings& words, const Strings& environment, int inherited) {
  Strings all = words;
  all.insert(all.begin(), LogctlProgram());
  const auto arguments = Pointers(all), variables = Pointers(environment);
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  EXPECT_TRUE(terminal_ >= 0 && ::grantpt(terminal_) == 0 && ::unlockpt(terminal_) == 0);
  inside_ = ::open(::ptsname(terminal_), O_RDWR | O_NOCTTY | O_CLOEXEC);
  shell_ = ::fork();
  if (shell_ == 0) {  // nothing but system calls from here on
    LogIn(inside_);
    ::alarm(kPatienceMs / 1000 * 2);  // ends the session, and with it the program
    const pid_t program = ::fork();
    if (program != 0) {
      ::close_range(3, ~0U, 0);
      ::_exit(WaitFor(program));
    }
    BecomeForeground(ends[1]);
    if (inherited >= 0) ::dup2(inherited, 3);
    ::close_range(inherited >= 0 ? 4 : 3, ~0U, 0);
    ::execve(arguments[0], arguments.data(), variables.data());
    ::_exit(127);
  }
  EXPECT_EQ(::read(ends[0], &program_, sizeof program_), static_cast<ssize_t>(sizeof program_));
  for (const int end : ends) ::close(end);
}

TerminalSession::~TerminalSession() {
  if (shell_ > 0) {
    ::kill(program_, SIGKILL);
    (void)Wait();
  }
  ::close(terminal_);
  ::close(inside_);
}

// False if nothing comes any more for as long as one may wait.
bool TerminalSession::Take() {
  pollfd descriptor{terminal_, POLLIN, 0};
  if (::poll(&descriptor, 1, kPatienceMs) != 1) return false;
  std::array<char, 4096> piece{};
  const ssize_t got = ::read(terminal_, piece.data(), piece.size());
  if (got <= 0) return false;
  std::copy_if(piece.begin(), piece.begin() + got, std::back_inserter(shown_), [](char c) { return c != '\r'; });
  return true;
}

void TerminalSession::Expect(std::string_view text) {
  for (;;) {
    const std::size_t at = shown_.find(text, seen_);
    if (at != std::string::npos) {
      seen_ = at + text.size();
      return;
    }
    ASSERT_TRUE(Take()) << "\"" << text << "\" was not shown, but: " << shown_;
  }
}

void TerminalSession::Type(std::string_view keys) {
  EXPECT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  pollfd descriptor{inside_, POLLIN, 0};
  (void)::poll(&descriptor, 1, 0);  // makes the kernel pass on what was typed, with or without echo
}

void TerminalSession::Answer(std::string_view line, std::string_view prompt) {
  Expect(prompt);
  Type(std::string(line) + "\n");
}

void TerminalSession::Signal(int signal) { ::kill(program_, signal); }

bool TerminalSession::echoes() const {
  termios settings{};
  EXPECT_EQ(::tcgetattr(inside_, &settings), 0);
  return (settings.c_lflag & ECHO) != 0;
}

void TerminalSession::ExpectStopped() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  const auto stopped = [&] {
    std::ifstream file("/proc/" + std::to_string(program_) + "/stat");
    const std::string stat{std::istreambuf_iterator<char>(file), {}};
    return stat.contains(") T ");
  };
  while (!stopped() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(stopped());
}

// The kernel announces no change of a terminal's settings, so they are asked for; only a program that hangs takes as
// long as kPatienceMs.
void TerminalSession::ExpectEcho(bool on) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  while (echoes() != on && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(echoes(), on);
}

// The terminal never ends for us, who hold it open: what was shown last is there when the program has gone.
int TerminalSession::Wait() {
  const int exit_code = WaitFor(std::exchange(shell_, -1));
  pollfd descriptor{terminal_, POLLIN, 0};
  while (::poll(&descriptor, 1, 0) == 1 && Take()) {
  }
  return exit_code;
}

}  // namespace turnlog
