// A message in the state of a LangGraph thread, however it was serialized.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "migrate/records/json_object.h"

namespace turnlog {

struct LangMessage {
  enum class Kind : std::uint8_t { kHuman, kAi, kTool, kOther };

  Kind kind = Kind::kOther;
  JsonObject fields;
  std::string_view text;  // the whole value

  // By which it is known in other checkpoints: its id or, without one, its contents.
  std::string Key() const;
};

// Nothing if the value is no message.
std::optional<LangMessage> ReadLangMessage(std::string_view value);

// The fields of a Python object of this class, in any of its serialized forms; nothing if it is of another class.
std::optional<JsonObject> ReadPythonObject(std::string_view value, std::string_view name);

}  // namespace turnlog
