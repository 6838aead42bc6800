// The text of a message's content: a string, or an array of parts such as {"type":"text","text":...}.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace turnlog {

struct ContentText {
  std::string text;        // of all parts, one line each; "[image]" and the like for what is no text
  std::string_view token;  // the JSON string that it was read from; empty if there are several parts
};

// Nothing if `json` is neither a string nor an array.
std::optional<ContentText> ReadContentText(std::string_view json);

}  // namespace turnlog
