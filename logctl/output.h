// Standard output, buffered. A closed pipe (`| head -1`) ends the output silently; Finish returns any other write
// error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/style.h"
#include "turnlog/result.h"

namespace turnlog {

enum class ColorMode : unsigned char { kAuto, kAlways, kNever };

// Whether to colour this stream: in auto mode a capable terminal, unless NO_COLOR is set.
bool WantsColor(ColorMode mode, int descriptor);

class Output {
 public:
  explicit Output(ColorMode mode);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // REQUIRES: `text` is printable.
  void Write(std::string_view text);
  // Whole characters of JSON; on a terminal control characters become JSON escapes.
  void WriteJson(std::string_view json);
  // A write has failed: stop producing output.
  bool closed() const { return error_ != 0; }
  // Detects a closed pipe, for commands that wait.
  void DetectClosedPipe();
  void Flush();
  // Flushes. Fails if a write failed, except for a closed pipe.
  Status Finish();

  std::string Paint(Style style, std::string_view text) const { return Painted(color_, style, text); }
  bool is_terminal() const { return terminal_; }
  std::size_t width() const { return width_; }  // columns to break text at; 100 without a terminal
  // Columns that a line must not exceed; none without a terminal.
  std::optional<std::size_t> columns() const { return terminal_ ? std::optional(width_) : std::nullopt; }

 private:
  void WriteOut(std::string_view rest);

  std::string buffer_;
  int error_ = 0;  // errno of the first failure
  bool terminal_;
  bool color_;
  std::size_t width_;
};

}  // namespace turnlog
