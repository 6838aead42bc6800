// A message of opencode: what its parts do not say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/records/json_object.h"
#include "turnlog/types.h"

namespace turnlog {

struct OpencodeMessage {
  std::string id;
  bool by_user = false;
  bool summary = false;             // its text replaces all earlier messages
  bool complete = false;            // nothing is written to it any more
  std::optional<Timestamp> time{};  // of its beginning
};

// `info`: as in an exported document, a file, or the data of a row.
OpencodeMessage ReadOpencodeMessage(const JsonObject& info);

// Whether it is the assistant's: what is open of an earlier one then stays as it is.
inline bool IsOpencodeAnswer(const JsonObject& info) { return info.String("role") == "assistant"; }

// Whether a part of a message that is not complete is still being written.
bool IsUnfinished(const JsonObject& part);

// Milliseconds since 1970, as JSON; nothing if it is no such number.
std::optional<Timestamp> ReadMilliseconds(std::string_view number);

}  // namespace turnlog
