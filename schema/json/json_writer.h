// Writes one line of JSON to the end of a string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "turnlog/json.h"

namespace turnlog {

// Puts commas and colons where they belong; that objects are closed and keys have values is the caller's to do.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}
  // Each field and element on a line of its own, as AppendPretty lays them out. `depth`: of what is around the value.
  static JsonWriter Pretty(std::string& out, int depth) { return JsonWriter(out, depth); }

  void StartObject() { Start('{'); }
  void EndObject() { End('}'); }
  void StartArray() { Start('['); }
  void EndArray() { End(']'); }
  void Key(std::string_view key) { String(key), Colon(); }
  // A literal needs no escapes.
  template <std::size_t kSize>
  void Key(const char (&key)[kSize]) {
    PlainKey({key, kSize - 1});
  }
  void String(std::string_view text);
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Unsigned(std::uint64_t value);
  // Unchanged, but on one line (AppendOnOneLine), or laid out as the rest is.
  void Raw(std::string_view json);
  // Unchanged, line breaks and all.
  void Exactly(std::string_view json) { Value().append(json); }
  // The caller appends one value to what this gives.
  std::string& Value() { return Separate(), out_; }
  // For a caller that lays a value out itself; 0 if nothing is laid out.
  int depth() const { return depth_.value_or(0); }

  // `key`: as for Key.
  void Field(const auto& key, std::string_view text) { Key(key), String(text); }
  void Field(const auto& key, const JsonView& json) { Key(key), Raw(json.text()); }
  void OptionalField(const auto& key, const std::optional<std::string_view>& text) {
    if (text) Field(key, *text);
  }
  void OptionalField(const auto& key, const JsonView& json) {
    if (!json.empty()) Field(key, json);
  }
  // The fields of an object, as fields of the one that is being written.
  void Fields(const JsonView& object);

 private:
  // What precedes the next key or value.
  enum class After : std::uint8_t { kNothing, kBracket, kItem };

  JsonWriter(std::string& out, int depth) : out_(out), depth_(depth) {}

  void PlainKey(std::string_view key);
  void Start(char bracket) {
    Separate(), out_.push_back(bracket), after_ = After::kBracket;
    if (depth_) ++*depth_;
  }
  void End(char bracket) {
    if (depth_) --*depth_;
    if (depth_ && after_ != After::kBracket) BreakLine();
    out_.push_back(bracket), after_ = After::kItem;
  }
  void Colon() {
    out_.append(depth_ ? ": " : ":");
    after_ = After::kNothing;
  }
  // Before each key and value; one follows another unless a bracket or colon is between them.
  void Separate() {
    if (after_ == After::kItem) out_.push_back(',');
    if (depth_ && after_ != After::kNothing) BreakLine();
    after_ = After::kItem;
  }
  void BreakLine();

  std::string& out_;
  std::optional<int> depth_;  // only of what is laid out
  After after_ = After::kNothing;
};

// Appends the string as a JSON token, quotes and escapes included; only what must be escaped is.
void AppendJsonString(std::string_view text, std::string& out);
// Whether that would append `token`.
bool IsJsonStringOf(std::string_view token, std::string_view text);

// Appends the JSON text, each run of white space that holds a line break replaced by one space.
void AppendOnOneLine(std::string_view json, std::string& out);

}  // namespace turnlog
