// The approval of a tool that the server runs: a request with an id, and an item of the input that answers it. The
// Agents SDK for JavaScript wraps both (`hosted_tool_call`); its first versions spelled their fields as that language
// does.
#pragma once

#include <optional>
#include <string>

#include "migrate/records/json_object.h"

namespace turnlog {

struct ServerApproval {
  std::string request;  // its id
  std::optional<std::string> tool, server;
  bool asks = true;
  // Of the answer.
  bool approved = false;
  std::optional<std::string> reason;
};
// Nothing if the item is neither.
std::optional<ServerApproval> ReadServerApproval(const JsonObject& item);

}  // namespace turnlog
