// A tool part of a UIMessage: a call and what has become of it, in one object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/records/json_object.h"

namespace turnlog {

struct ToolPart {
  enum class State : std::uint8_t { kStreaming, kCalled, kAsked, kAnswered, kDone, kFailed, kDenied };

  std::string call, name;
  std::string_view input, output, error;  // as in the part; empty: there is none
  State state = State::kCalled;
  JsonObject approval;  // without fields: the call needed none
};

// Nothing if the part is something else, lacks an id or has a state that turnlog does not know. Versions 4 to 6.
std::optional<ToolPart> ReadToolPart(const JsonObject& part);

}  // namespace turnlog
