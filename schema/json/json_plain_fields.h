// Fields of JSON objects whose values are no text.
#pragma once

#include <cstdint>
#include <string_view>

#include "schema/json/json_writer.h"

namespace turnlog {

inline void NumberField(JsonWriter& json, std::string_view key, std::uint64_t value) {
  json.Key(key), json.Unsigned(value);
}

inline void FlagField(JsonWriter& json, std::string_view key, bool value) { json.Key(key), json.Bool(value); }

}  // namespace turnlog
