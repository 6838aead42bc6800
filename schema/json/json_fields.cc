#include "schema/json/json_fields.h"

#include <utility>

#include "base/try.h"
#include "schema/json/json_string.h"
#include "turnlog/types.h"

namespace turnlog {

// The byte after the opening bracket.
JsonEnd JsonItems::Begin() const {
  const char bracket = position_ < text_.size() ? text_[position_] : '\0';
  if (bracket != (object_ ? '{' : '[')) {
    return std::unexpected(JsonFault{position_, object_ ? "must be an object" : "must be an array"});
  }
  if (depth_ >= kMaxJsonDepth) return std::unexpected(JsonFault{position_, "nested too deep"});
  return position_ + 1;
}

JsonEnd JsonItems::EndOfValue(std::size_t begin) const {
  if (trust_ == JsonTrust::kChecked) return ScanJson(text_, begin, depth_ + 1);
  const std::size_t end = FindJsonEnd(text_, begin);
  return end == std::string_view::npos ? std::unexpected(JsonFault{begin, kJsonEndsEarly}) : JsonEnd(end);
}

std::expected<bool, JsonFault> JsonItems::Next() {
  const bool first = std::exchange(first_, false);
  if (first) position_ = TURNLOG_TRY(Begin());
  std::size_t at = SkipJsonSpace(text_, position_);
  const char byte = at < text_.size() ? text_[at] : '\0';
  if (byte == (object_ ? '}' : ']')) {
    position_ = at + 1;
    return false;
  }
  if (!first) {
    if (at >= text_.size()) return std::unexpected(JsonFault{at, kJsonEndsEarly});
    if (byte != ',') return std::unexpected(JsonFault{at, object_ ? "expected ',' or '}'" : "expected ',' or ']'"});
    at = SkipJsonSpace(text_, at + 1);
  }
  std::size_t value = at;
  if (object_) {
    std::size_t key_end = 0;
    value = TURNLOG_TRY(ScanJsonKey(text_, at, key_end));
    key_ = text_.substr(at, key_end - at);
  }
  position_ = TURNLOG_TRY(EndOfValue(value));
  value_ = text_.substr(value, position_ - value);
  return true;
}

bool JsonFields::KeyIs(std::string_view name) const {
  if (!key_.contains('\\')) return key_.substr(1, key_.size() - 2) == name;
  return UnescapeJson(key_) == name;
}

std::optional<JsonField> FindJsonField(std::string_view json, std::string_view name, JsonTrust trust) {
  if (!json.starts_with('{')) return std::nullopt;
  for (JsonFields fields(json, trust); fields.Next().value_or(false);) {
    if (!fields.KeyIs(name)) continue;
    const auto begin = static_cast<std::size_t>(fields.key().data() - json.data());
    return JsonField{fields.value(), begin, fields.end()};
  }
  return std::nullopt;
}

std::optional<std::string> FindJsonString(std::string_view json, std::string_view name, JsonTrust trust) {
  const auto field = FindJsonField(json, name, trust);
  if (!field || !field->value.starts_with('"')) return std::nullopt;
  return UnescapeJson(field->value);
}

}  // namespace turnlog
