#include "migrate/records/json_object.h"

#include <algorithm>

#include "schema/json/json_scan.h"

namespace turnlog {

std::optional<JsonObject> JsonObject::Parse(std::string_view text) { return Parse(text, JsonTrust::kChecked); }

JsonObject JsonObject::OfValid(std::string_view text) { return Parse(text, JsonTrust::kValid).value_or(JsonObject()); }

std::optional<JsonObject> JsonObject::Parse(std::string_view text, JsonTrust trust) {
  constexpr std::size_t kUsualFields = 24;
  JsonObject object;
  object.text_ = text;
  if (text.starts_with('{')) object.fields_.reserve(kUsualFields);
  JsonFields fields(text, trust);
  for (;;) {
    const auto next = fields.Next();
    if (!next) return std::nullopt;
    if (!*next) break;
    object.fields_.emplace_back(fields.key(), fields.value());
  }
  if (fields.end() != text.size()) return std::nullopt;
  return object;
}

namespace {

bool IsName(std::string_view token, std::string_view name) {
  if (token.size() == name.size() + 2 && token.substr(1, name.size()) == name) return true;
  // With an escape in it, it begins with one or as the name does.
  const bool may_be = token.size() > name.size() + 2 && (token[1] == '\\' || name.starts_with(token[1]));
  return may_be && token.contains('\\') && UnescapeJson(token) == name;
}

}  // namespace

std::string_view JsonObject::operator[](std::string_view name) const {
  for (auto field = fields_.rbegin(); field != fields_.rend(); ++field) {
    if (IsName(field->first, name)) return field->second;
  }
  return {};
}

std::optional<std::string> JsonObject::String(std::string_view name) const {
  const std::string_view value = (*this)[name];
  if (!IsJsonString(value)) return std::nullopt;
  return UnescapeJson(value);
}

std::optional<Timestamp> JsonObject::Time(std::string_view name) const {
  const auto text = String(name);
  const auto time = text ? Timestamp::ParseRfc3339(*text) : std::unexpected(Error{});
  return time ? std::optional(*time) : std::nullopt;
}

JsonObject JsonObject::Object(std::string_view name) const { return OfValid((*this)[name]); }

JsonObject JsonObject::Embedded(std::string_view name) const {
  if (!IsJsonString((*this)[name])) return Object(name);
  auto own = std::make_shared<const std::string>(UnescapeJson((*this)[name]));
  const std::size_t begin = SkipJsonSpace(*own, 0);
  const std::size_t end = own->find_last_not_of(" \t\r\n") + 1;
  JsonObject object = Parse(std::string_view(*own).substr(begin, end - std::min(begin, end))).value_or(JsonObject());
  object.own_ = std::move(own);
  return object;
}

std::vector<std::string_view> ElementsOf(std::string_view json) {
  std::vector<std::string_view> elements;
  if (!json.starts_with('[')) return elements;
  for (JsonElements each(json, JsonTrust::kValid); each.Next().value_or(false);) elements.push_back(each.value());
  return elements;
}

}  // namespace turnlog
