// Talking with the person at the terminal: questions go to standard error, so that standard output has nothing but the
// report; what is typed comes from standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/secret_string.h"
#include "logctl/errors.h"

namespace turnlog {

enum class Echo : std::uint8_t { kOn, kOff };

class Console {
 public:
  virtual ~Console() = default;
  virtual void Show(std::string_view printable) = 0;
  // A line without its end; none when there is nothing more to come (Ctrl-D). The prompt is shown when it may be typed.
  virtual Expected<std::optional<SecretString>> ReadLine(std::string_view prompt, Echo echo) = 0;
};

class Terminal : public Console {
 public:
  // Whether there is somebody to talk with.
  static bool IsThere();

  void Show(std::string_view printable) override;
  // Without echo, what was typed before is thrown away, and so is what was pasted behind the line's end. Echo is on
  // again when it returns, and when a signal ends or stops the process.
  Expected<std::optional<SecretString>> ReadLine(std::string_view prompt, Echo echo) override;
  std::size_t width() const;  // columns
};

// All of standard input. Fails beyond the size that an event may have.
Expected<SecretString> ReadStandardInput();
// REQUIRES: `descriptor` is open.
Expected<void> WriteTo(int descriptor, std::string_view text);

}  // namespace turnlog
