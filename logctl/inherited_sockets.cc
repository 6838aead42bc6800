#include "logctl/inherited_sockets.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace turnlog {
namespace {

constexpr int kFirst = 3;     // sd_listen_fds(3)
constexpr int kMost = 1'000;  // no manager passes on as many

std::optional<int> TakeNumber(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  const std::string_view text = value;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  (void)::unsetenv(name);
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<int> TakeInheritedSockets() {
  const auto process = TakeNumber("LISTEN_PID"), count = TakeNumber("LISTEN_FDS");
  (void)::unsetenv("LISTEN_FDNAMES");
  std::vector<int> sockets;
  if (process != ::getpid() || !count || *count > kMost) return sockets;
  for (int number = kFirst; number < kFirst + *count; ++number) sockets.push_back(number);
  return sockets;
}

}  // namespace turnlog
