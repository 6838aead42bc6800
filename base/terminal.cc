#include "base/terminal.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is POSIX
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

#include "base/errno_text.h"

namespace turnlog {
namespace {

constexpr std::array kSignals{SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGTERM, SIGTSTP};

// For the signal handler: the terminal's settings with echo and without.
termios shown_settings, hidden_settings;  // NOLINT(readability-identifier-naming): they change

std::unexpected<Error> CannotRead() {
  return std::unexpected(Error{ErrorCode::kIo, "cannot read standard input: " + ErrnoText(errno)});
}

// Only from the foreground: the settings of another foreground process must not change.
void ShowAgain() {
  const pid_t front = ::tcgetpgrp(STDIN_FILENO);
  if (front == -1 || front == ::getpgrp()) (void)::tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown_settings);
}

// Turns echo on and raises the signal with its default action. After a stop (SIGTSTP) echo is turned off again.
void OnSignal(int signal) {
  const int error = errno;
  ShowAgain();
  struct sigaction usual{};
  struct sigaction ours{};
  usual.sa_handler = SIG_DFL;
  (void)::sigaction(signal, &usual, &ours);
  (void)::raise(signal);
  (void)::sigaction(signal, &ours, nullptr);
  (void)::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden_settings);
  errno = error;
}

// Echo is off during its lifetime. One instance at a time.
class EchoOff {
 public:
  EchoOff() {
    if (::tcgetattr(STDIN_FILENO, &shown_settings) != 0) return;
    hidden_settings = shown_settings;
    hidden_settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    hidden_settings.c_lflag |= ECHONL;
    CatchSignals();
    works_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden_settings) == 0;
  }
  ~EchoOff() {
    if (works_) ShowAgain();
    for (std::size_t i = 0; i < caught_; ++i) (void)::sigaction(kSignals[i], &before_[i], nullptr);
  }
  EchoOff(const EchoOff&) = delete;
  EchoOff& operator=(const EchoOff&) = delete;

  bool works() const { return works_; }

 private:
  // Ignored signals stay ignored, as under nohup.
  void CatchSignals() {
    struct sigaction action{};
    action.sa_handler = OnSignal;
    action.sa_flags = SA_RESTART | SA_NODEFER;
    for (; caught_ < kSignals.size(); ++caught_) {
      (void)::sigaction(kSignals[caught_], nullptr, &before_[caught_]);
      if (before_[caught_].sa_handler != SIG_IGN) (void)::sigaction(kSignals[caught_], &action, nullptr);
    }
  }

  bool works_ = false;
  std::size_t caught_ = 0;
  std::array<struct sigaction, kSignals.size()> before_{};
};

Result<std::optional<SecretString>> ReadTypedLine() {
  SecretString line;
  for (char letter = 0;;) {
    const ssize_t got = ::read(STDIN_FILENO, &letter, 1);
    if (got < 0 && errno != EINTR) return CannotRead();
    if (got == 0 && line.empty()) return std::nullopt;
    if (got == 0 || (got > 0 && letter == '\n')) return line;
    if (got > 0) line.Append(letter);
  }
}

}  // namespace

bool Terminal::IsThere() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

void Terminal::Show(std::string_view printable) {
  while (!printable.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, printable.data(), printable.size());
    if (written < 0 && errno != EINTR) return;  // a failure could not be reported anywhere
    if (written > 0) printable.remove_prefix(static_cast<std::size_t>(written));
  }
}

Result<std::optional<SecretString>> Terminal::ReadLine(std::string_view prompt, Echo echo) {
  std::optional<EchoOff> hidden;
  if (echo == Echo::kOff && !hidden.emplace().works()) {
    return std::unexpected(Error{ErrorCode::kUnsupported, "this terminal cannot hide what is typed"});
  }
  Show(prompt);
  return ReadTypedLine();
}

std::size_t Terminal::width() const {
  constexpr std::size_t kUsual = 80, kAtLeast = 40, kReadable = 100;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return std::clamp<std::size_t>(size.ws_col, kAtLeast, kReadable);
}

}  // namespace turnlog
