// MessagePack as JSON text, as LangGraph uses it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace turnlog {

// One value from the first byte to the last; nothing if it is no such value. What JSON lacks becomes an object: bytes
// {"$base64":"..."}, a number that is not finite {"$number":"inf"}, a map whose keys are not all strings
// {"$map":[[key,value],...]}, a Python object
// {"$ext":code,"value":...} with what its extension holds.
std::optional<std::string> MsgpackToJson(std::string_view bytes);

}  // namespace turnlog
