#include "logctl/output.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/errno_text.h"
#include "logctl/text.h"

namespace turnlog {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
constexpr std::size_t kDefaultWidth = 100;
constexpr std::size_t kLeastWidth = 40;

// COLUMNS overrides the width of the terminal, as for other programs.
std::size_t TerminalWidth() {
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    const std::size_t said = std::strtoul(columns, nullptr, 10);
    if (said > 0) return std::max(said, kLeastWidth);
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kDefaultWidth;
  return std::max<std::size_t>(size.ws_col, kLeastWidth);
}

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

bool WantsColor(ColorMode mode, int descriptor) {
  if (mode != ColorMode::kAuto) return mode == ColorMode::kAlways;
  const char* term = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && !IsSet("NO_COLOR") && term != nullptr && std::string_view(term) != "dumb";
}

Output::Output(ColorMode mode)
    : terminal_(::isatty(STDOUT_FILENO) == 1),
      color_(WantsColor(mode, STDOUT_FILENO)),
      width_(terminal_ ? TerminalWidth() : kDefaultWidth) {}

void Output::Write(std::string_view text) {
  if (closed()) return;
  if (text.size() >= kBufferBytes) {  // not copied: an event may have hundreds of megabytes
    Flush();
    WriteOut(text);
    return;
  }
  buffer_.append(text);
  if (buffer_.size() >= kBufferBytes) Flush();
}

void Output::WriteJson(std::string_view json) { terminal_ ? Write(PrintableJson(json)) : Write(json); }

void Output::DetectClosedPipe() {
  pollfd descriptor{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  if (!closed() && ::poll(&descriptor, 1, 0) == 1 && (descriptor.revents & POLLERR) != 0) error_ = EPIPE;
}

void Output::Flush() {
  WriteOut(buffer_);
  buffer_.clear();
}

void Output::WriteOut(std::string_view rest) {
  while (!rest.empty() && !closed()) {
    const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
}

Status Output::Finish() {
  Flush();
  if (error_ == 0 || error_ == EPIPE) return {};
  return std::unexpected(Error{ErrorCode::kIo, "cannot write to standard output: " + ErrnoText(error_)});
}

}  // namespace turnlog
