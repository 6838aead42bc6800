// The names of the fields of a RunState. The SDKs for Python and for JavaScript write the same document, each with
// names as its language spells them.
#pragma once

#include <string_view>

#include "migrate/records/json_object.h"

namespace turnlog {

struct StateNames {
  bool is_javascript = false;
  std::string_view input;  // of the run
  // What the run did; older versions of Python's have only the second list, JavaScript's has no other.
  std::string_view session_items, generated_items;
  std::string_view raw_item, tool_name;  // of one of these
  std::string_view step;
  std::string_view responses, response_id;
  std::string_view input_tokens, input_details, output_tokens, output_details;
  std::string_view messages, message_for_all;  // of what was rejected
};

// Those that the state has.
const StateNames& NamesOf(const JsonObject& state);

}  // namespace turnlog
