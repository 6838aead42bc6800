// The text of a message's content: a string, or an array of parts such as {"type":"text","text":...}, also without a
// type.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "migrate/records/json_object.h"
#include "migrate/records/record_template.h"

namespace turnlog {

struct ContentText {
  std::string text;        // of all parts, one line each; "[image]" and the like for what is no text
  std::string_view token;  // the JSON string that it was read from; empty if there are several parts
  bool usual = false;      // the token is what AppendJsonString writes for the text
};

// Nothing if `json` is neither a string nor an array, or if all its parts are left out. `is_left_out`: null: none is.
std::optional<ContentText> ReadContentText(std::string_view json, bool (*is_left_out)(const JsonObject&) = nullptr);

// What a tool returned, as the content of a response.
struct ResultContent {
  std::string content;
  Slot slot = Slot::kContent;
  std::string_view bytes;  // of the source, which the slot reproduces
  bool known = false;      // as in RecordEvents::Reproduces
};

// `may_be_text`: its text, if it has one; otherwise the JSON itself.
ResultContent ReadResultContent(std::string_view json, bool may_be_text);

}  // namespace turnlog
