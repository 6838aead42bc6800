// Colours of a terminal.
#pragma once

#include <string>
#include <string_view>

namespace turnlog {

enum class Style : unsigned char { kBold, kDim, kRed, kGreen, kYellow, kMagenta, kCyan };

// `text` in this style, or unchanged without colour. An empty text stays empty.
std::string Painted(bool color, Style style, std::string_view text);

}  // namespace turnlog
