// JSON as the tests read it: what is missing or of another type fails the test, and reads as nothing.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <memory>
#include <string>

namespace turnlog {

class JsonValue {
 public:
  // One whole document.
  static JsonValue Parse(const std::string& text);

  JsonValue operator[](const char* key) const;
  JsonValue operator[](int index) const;
  bool Has(const char* key) const;
  std::size_t Size() const;  // of an array
  std::string Text() const;
  std::uint64_t Number() const;
  bool Flag() const;

 private:
  using Found = simdjson::simdjson_result<simdjson::dom::element>;
  JsonValue(std::shared_ptr<simdjson::dom::parser> parser, Found found);
  template <class T>
  T Get() const;

  std::shared_ptr<simdjson::dom::parser> parser_;  // holds what the element points into
  simdjson::dom::element element_;
};

}  // namespace turnlog
