// One JSON document, streamed to standard output.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "logctl/output.h"
#include "turnlog/types.h"

namespace turnlog {

// The constructor opens the outermost object. The destructor closes everything that is open, so that a command that
// fails half-way leaves no broken JSON.
class JsonDocument {
 public:
  explicit JsonDocument(Output& out);
  ~JsonDocument();
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  // An object or array: an element of the array around it, or, with a key, a field of the object around it.
  void Object(std::string_view key = {}) { Open('{', key); }
  void EndObject() { End(); }
  void Array(std::string_view key = {}) { Open('[', key); }
  void EndArray() { End(); }

  void Field(std::string_view key, std::string_view text);
  void Field(std::string_view key, const char* text) { Field(key, std::string_view(text)); }
  void Field(std::string_view key, std::uint64_t number);
  void Field(std::string_view key, std::same_as<bool> auto value) { Flag(key, value); }
  void Field(std::string_view key, Seq seq) { Field(key, seq.value); }
  void Field(std::string_view key, Turn turn) { Field(key, turn.value); }
  void Field(std::string_view key, Timestamp time) { Field(key, time.ToRfc3339()); }
  // No value, no field.
  template <class T>
  void Field(std::string_view key, const std::optional<T>& value) {
    if (value) Field(key, *value);
  }
  // JSON text, verbatim; no field if it is empty.
  void Raw(std::string_view key, std::string_view json);

  void Element(std::string_view text);
  void RawElement(std::string_view json);

 private:
  void Open(char bracket, std::string_view key);
  void End();
  // Before a value: a comma, a new line with its indentation, and the key if there is one.
  void Begin(std::string_view key);
  void Indent();
  void Flag(std::string_view key, bool value);
  void Flush(std::size_t at_least);

  Output& out_;
  std::string text_;
  std::string open_;   // an opening bracket for each object and array that is open
  bool empty_ = true;  // the innermost of them has no elements yet
};

}  // namespace turnlog
