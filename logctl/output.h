// Standard output: data for people or programs. Buffered; a reader that went away (`| head -1`) ends the output
// quietly, any other failure to write is kept for Finish.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "turnlog/result.h"

namespace turnlog {

enum class Style : unsigned char { kBold, kDim, kRed, kGreen, kYellow, kMagenta, kCyan };
enum class ColorMode : unsigned char { kAuto, kAlways, kNever };

// Whether this stream is to be coloured: in auto mode a terminal that can, unless NO_COLOR is set.
bool WantsColor(ColorMode mode, int descriptor);
// `text` in this style, or as it is. An empty text stays empty.
std::string Painted(bool color, Style style, std::string_view text);

class Output {
 public:
  explicit Output(ColorMode mode);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Text for people; whoever calls has made stored text printable.
  void Write(std::string_view text);
  // Whole characters of JSON; on a terminal what could steer it is escaped as JSON escapes.
  void WriteJson(std::string_view json);
  // Nothing can be written any more: stop producing.
  bool closed() const { return error_ != 0; }
  // Looks whether the reader is still there, for commands that wait.
  void CheckReader();
  void Flush();
  // Flushes; fails unless everything was written or the reader did not want more.
  Status Finish();

  std::string Paint(Style style, std::string_view text) const { return Painted(color_, style, text); }
  bool is_terminal() const { return terminal_; }
  std::size_t width() const { return width_; }  // columns to break text at; 100 when this is no terminal
  // Columns that a line must not exceed; none when this is no terminal.
  std::optional<std::size_t> columns() const { return terminal_ ? std::optional(width_) : std::nullopt; }

 private:
  std::string buffer_;
  int error_ = 0;  // errno of the first failure
  bool terminal_;
  bool color_;
  std::size_t width_;
};

}  // namespace turnlog
