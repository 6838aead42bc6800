// A message in the state of a LangGraph thread, however it was serialized.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/records/json_object.h"

namespace turnlog {

struct LangMessage {
  enum class Kind : std::uint8_t { kHuman, kAi, kTool, kOther };

  Kind kind = Kind::kOther;
  bool is_removal = false;  // of the message with its id, or of all
  JsonObject fields;
  std::string_view text;  // the whole value
  // By which it is known in other checkpoints: its id or, without one, its text.
  std::string key{};
  // A hash of what events show of it. The rest changes without anyone having changed the message: a library of another
  // version writes other fields, and a model's usage comes later.
  std::uint64_t contents = 0;
  std::shared_ptr<const std::string> own{};  // has `text` if nothing else does

  bool has_id() const { return !key.starts_with('#'); }
  // The same message, which needs the value no longer.
  LangMessage Keep() const;
};

// Nothing if the value is no message.
std::optional<LangMessage> ReadLangMessage(std::string_view value);

// The messages at the beginning of a list; none if it is no list. Those that are equal and have no ids get keys by
// their numbers, which stay while the list grows.
std::vector<LangMessage> ReadLangMessages(std::string_view list);
// How a further one without an id is known beside `equal` others.
std::string NumberedKey(const std::string& key, std::size_t equal);

// The fields of a Python object of this class, in any of its serialized forms; nothing if it is of another class.
std::optional<JsonObject> ReadPythonObject(std::string_view value, std::string_view name);

}  // namespace turnlog
