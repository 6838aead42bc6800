#include "tests/logctl/json_value.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

namespace turnlog {
namespace {

// An element must always belong to a document.
simdjson::dom::element Nothing() {
  static simdjson::dom::parser parser;
  return parser.parse(std::string("null")).value_unsafe();
}

}  // namespace

JsonValue::JsonValue(std::shared_ptr<simdjson::dom::parser> parser, Found found) : parser_(std::move(parser)) {
  const auto error = found.get(element_);
  EXPECT_EQ(error, simdjson::SUCCESS) << simdjson::error_message(error);
  if (error != simdjson::SUCCESS) element_ = Nothing();
}

JsonValue JsonValue::Parse(const std::string& text) {
  auto parser = std::make_shared<simdjson::dom::parser>();
  const auto found = parser->parse(text);
  EXPECT_EQ(found.error(), simdjson::SUCCESS) << text;
  return {parser, found};
}

JsonValue JsonValue::operator[](const char* key) const { return {parser_, element_.at_key(key)}; }
JsonValue JsonValue::operator[](int index) const { return {parser_, element_.at(static_cast<std::size_t>(index))}; }
bool JsonValue::Has(const char* key) const { return element_.at_key(key).error() == simdjson::SUCCESS; }

template <class T>
T JsonValue::Get() const {
  T value{};
  const auto error = element_.get(value);
  EXPECT_EQ(error, simdjson::SUCCESS) << simdjson::error_message(error);
  return value;
}

std::size_t JsonValue::Size() const { return Get<simdjson::dom::array>().size(); }
std::string JsonValue::Text() const { return std::string(Get<std::string_view>()); }
std::uint64_t JsonValue::Number() const { return Get<std::uint64_t>(); }
bool JsonValue::Flag() const { return Get<bool>(); }

}  // namespace turnlog
