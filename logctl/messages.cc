#include "logctl/messages.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "logctl/text.h"

namespace turnlog {

Messages::Messages(ColorMode mode, bool quiet)
    : terminal_(::isatty(STDERR_FILENO) == 1), color_(WantsColor(mode, STDERR_FILENO)), quiet_(quiet) {}

void Messages::Print(std::string_view line) {
  EndProgress();
  (void)std::fputs(fmt::format("{}\n", line).c_str(), stderr);  // a failure could not be reported anywhere
}

void Messages::Note(std::string_view text) {
  if (!quiet_) Print("logctl: " + Printable(text));
}

void Messages::Warn(std::string_view text) { Print("logctl: " + Painted(color_, Style::kYellow, Printable(text))); }

void Messages::Report(const Failure& failure) {
  Print("logctl: " + Painted(color_, Style::kRed, Printable(failure.message)));
  if (!failure.hint.empty()) Print("  hint: " + Printable(failure.hint));
}

void Messages::Report(const Damage& damage) {
  Print("logctl: " + Painted(color_, Style::kRed, Printable("damage: " + ToString(damage))));
}

void Messages::Progress(std::string_view doing, std::uint64_t done, std::uint64_t total) {
  constexpr std::size_t kBar = 30;
  if (!terminal_ || quiet_ || total == 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - bar_time_ < std::chrono::milliseconds(100)) return;
  bar_time_ = now;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto full = static_cast<std::size_t>(share * static_cast<double>(kBar));
  fmt::print(stderr, "\r{} [{:#<{}}{:-<{}}] {:3.0f}%\x1b[K", doing, "", full, "", kBar - full, share * 100);
  (void)std::fflush(stderr);
  bar_shown_ = true;
}

void Messages::EndProgress() {
  if (!bar_shown_) return;
  bar_shown_ = false;
  (void)std::fputs("\r\x1b[K", stderr);
}

}  // namespace turnlog
