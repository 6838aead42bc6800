#include "base/style.h"

#include <fmt/format.h>

namespace turnlog {
namespace {

std::string_view Code(Style style) {
  switch (style) {
    case Style::kBold:
      return "1";
    case Style::kDim:
      return "2";
    case Style::kRed:
      return "31";
    case Style::kGreen:
      return "32";
    case Style::kYellow:
      return "33";
    case Style::kMagenta:
      return "35";
    case Style::kCyan:
      return "36";
  }
  return "0";
}

}  // namespace

std::string Painted(bool color, Style style, std::string_view text) {
  if (!color || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", Code(style), text);
}

}  // namespace turnlog
