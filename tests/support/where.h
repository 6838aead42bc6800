// Where an error message says that something is wrong: "byte 21: type" of "byte 21: type: expected ','". Tests assert
// the location and leave the wording free. A message without a location has an empty one.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace turnlog {

inline std::string Where(std::string_view message) {
  const auto names = [](std::string_view part) {
    if (part.starts_with("byte ")) part.remove_prefix(5);
    return !part.empty() && std::ranges::all_of(part, [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '[' || c == ']' || c == '-';
    });
  };
  std::size_t end = 0;  // of the last location, with its colon
  for (std::size_t colon = message.find(": "); colon != std::string_view::npos; colon = message.find(": ", end)) {
    if (!names(message.substr(end, colon - end))) break;
    end = colon + 2;
  }
  return std::string(message.substr(0, end == 0 ? 0 : end - 2));
}

}  // namespace turnlog
