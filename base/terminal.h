// A dialogue at the terminal: what is shown goes to standard error, so that standard output holds a program's results;
// lines come from standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/secret_string.h"
#include "turnlog/result.h"

namespace turnlog {

enum class Echo : std::uint8_t { kOn, kOff };

class Console {
 public:
  virtual ~Console() = default;
  virtual void Show(std::string_view printable) = 0;
  // A line without its line break; none at the end of the input (Ctrl-D). kUnsupported: it cannot be hidden.
  virtual Result<std::optional<SecretString>> ReadLine(std::string_view prompt, Echo echo) = 0;
};

class Terminal : public Console {
 public:
  // Whether standard input and standard error are a terminal.
  static bool IsThere();

  void Show(std::string_view printable) override;
  // Echo::kOff discards input typed before the prompt or pasted after the line. Echo is restored on return, and when a
  // signal ends or stops the process.
  Result<std::optional<SecretString>> ReadLine(std::string_view prompt, Echo echo) override;
  std::size_t width() const;  // columns
};

}  // namespace turnlog
