// One JSON document, field by field: simdjson's on-demand parser with what the event form needs around it. Checks every
// letter, gives free-form values unchanged, keeps unknown fields, and knows the location of each fault.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "simdjson.h"
#include "turnlog/json.h"

namespace turnlog {

// What is wrong with a document, and where. `path` grows from the inside out.
struct ReadFault {
  std::size_t byte = 0;
  std::string path;
  std::string what;
};

template <class T>
using Read = std::expected<T, ReadFault>;

// Which of a list of names an object has.
class FieldSet {
 public:
  bool Add(std::size_t index) { return !Has(index) && ((bits_ |= Bit(index)), true); }
  bool Has(std::size_t index) const { return (bits_ & Bit(index)) != 0; }

 private:
  static std::uint32_t Bit(std::size_t index) { return std::uint32_t{1} << index; }
  std::uint32_t bits_ = 0;
};

class JsonReader {
 public:
  using Value = simdjson::ondemand::value;

  struct Object {
    simdjson::ondemand::object fields;
    std::size_t byte;  // of its bracket
  };

  // Copies `json` and finds its outermost object. What was read before is gone.
  Read<Object> Open(std::string_view json);
  // The same without a copy, if the string has room for simdjson's padding.
  Read<Object> OpenOwned(std::string json);
  // REQUIRES: the outermost object was read to its end.
  Read<void> Close();

  // Calls `on_field(index, value)` for each field named in `names`, which it must read; collects the others in `extra`.
  // Each name may come once.
  template <class OnField>
  Read<FieldSet> Fields(Object& object, std::span<const std::string_view> names, JsonView& extra, OnField&& on_field);
  // The first field of that name. Fields may be read afterwards as if nothing had been found.
  Read<std::optional<Value>> Find(Object& object, std::string_view name);

  // The value of that field, on which others depend, anywhere in the object, as one of `words`: its index.
  template <class Enum>
  Read<Enum> FindWord(Object& object, std::string_view name, std::span<const std::string_view> words,
                      const char* unknown) {
    return static_cast<Enum>(TURNLOG_TRY(FindIndex(object, name, words, unknown)));
  }
  static Read<void> Require(const Object& object, std::span<const std::string_view> names, FieldSet seen,
                            std::initializer_list<std::size_t> required);

  Read<std::string_view> String(Value value);
  // A string that may be long. A long one with escapes is as the document has it until UnescapeLong.
  Read<std::string_view> LongString(Value value);
  // What the last such string stands for, written over it; nothing if there is none. REQUIRES: everything is read.
  std::optional<std::string_view> UnescapeLong();
  Read<std::string_view> Id(Value value);  // a string as long as ids may be
  Read<bool> Bool(Value value);
  Read<std::uint64_t> Unsigned(Value value);
  Read<Object> OpenObject(Value value);
  Read<JsonView> Raw(Value value, int depth = 0);
  Read<JsonView> RawObject(Value value);
  // The same, but nothing for null.
  Read<std::optional<std::string_view>> OptionalString(Value value);
  Read<std::optional<std::string_view>> OptionalId(Value value);
  Read<std::optional<bool>> OptionalBool(Value value);
  Read<JsonView> OptionalRaw(Value value);
  Read<JsonView> OptionalRawObject(Value value);
  Read<bool> TakeNull(Value value);  // whether it is null
  template <class OnElement>
  Read<void> Array(Value value, OnElement&& on_element);  // on_element(value)

  static bool IsString(Value value) { return value.raw_json_token().starts_with('"'); }
  std::size_t ByteOf(Value value) const { return ByteOf(value.raw_json_token()); }
  std::unexpected<ReadFault> Fault(Value value, std::string what) const;
  static std::unexpected<ReadFault> Fault(std::size_t byte, std::string what);
  // One step outwards.
  static std::unexpected<ReadFault> In(std::string_view name, ReadFault fault);
  template <class T>
  static Read<T> In(std::string_view name, Read<T> read) {
    return read ? std::move(read) : In(name, std::move(read).error());
  }

  // The text that was opened, as our own copy, which may be written to once everything is read.
  std::span<char> text() { return {text_, size_}; }
  // Keeps a text until the next Open.
  std::string_view Keep(std::string text);

 private:
  struct Key {
    std::string_view token, text;  // with quotes and escapes, and without
  };

  std::size_t ByteOf(std::string_view piece) const { return static_cast<std::size_t>(piece.data() - text_); }
  std::string_view Text() const { return {text_, size_}; }
  Read<Object> Begin(char* text, std::size_t size);
  Read<std::size_t> FindIndex(Object& object, std::string_view name, std::span<const std::string_view> words,
                              const char* unknown);
  Read<Key> ReadKey(const simdjson::ondemand::field& field);
  Read<void> KeepUnknown(const Key& key, Value value, std::string& extra);
  // The fault behind an error of simdjson's, which has no location.
  std::unexpected<ReadFault> Broken() const;

  char* text_ = nullptr;  // in one of these, with padding
  std::size_t size_ = 0;
  std::unique_ptr<char[]> buffer_;
  std::string owned_;
  std::size_t capacity_ = 0;  // of buffer_
  std::span<char> long_;      // has escapes
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  std::deque<std::string> kept_;
};

template <class OnField>
Read<FieldSet> JsonReader::Fields(Object& object, std::span<const std::string_view> names, JsonView& extra,
                                  OnField&& on_field) {
  FieldSet seen;
  std::string unknown;
  if (object.fields.reset().error()) return Broken();
  for (auto item : object.fields) {
    simdjson::ondemand::field field;
    if (std::move(item).get(field)) return Broken();
    const Key key = TURNLOG_TRY(ReadKey(field));
    const auto index = static_cast<std::size_t>(std::ranges::find(names, key.text) - names.begin());
    if (index == names.size()) {
      TURNLOG_TRY(KeepUnknown(key, field.value(), unknown));
      continue;
    }
    if (!seen.Add(index)) return In(key.text, {ByteOf(key.token), {}, "given twice"});
    TURNLOG_TRY(In(key.text, on_field(index, field.value())));
  }
  if (!unknown.empty()) extra = JsonView::FromTrusted(Keep(std::move(unknown.append(1, '}'))));
  return seen;
}

template <class OnElement>
Read<void> JsonReader::Array(Value value, OnElement&& on_element) {
  if (!value.raw_json_token().starts_with('[')) return Fault(value, "must be an array");
  simdjson::ondemand::array array;
  if (value.get_array().get(array)) return Broken();
  std::size_t index = 0;
  for (auto item : array) {
    Value element;
    if (std::move(item).get(element)) return Broken();
    if (Read<void> done = on_element(element); !done) {
      return In("[" + std::to_string(index) + "]", std::move(done).error());
    }
    ++index;
  }
  return {};
}

}  // namespace turnlog
