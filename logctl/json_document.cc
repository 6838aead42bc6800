#include "logctl/json_document.h"

#include "base/utf8.h"
#include "logctl/text.h"

namespace turnlog {
namespace {

constexpr std::size_t kPassOnBytes = std::size_t{32} << 10;

rapidjson::SizeType Size(std::string_view text) { return static_cast<rapidjson::SizeType>(text.size()); }

}  // namespace

JsonDocument::JsonDocument(Output& out) : out_(out), writer_(stream_) {
  writer_.SetIndent(' ', 2);
  Open('{', {});
}

JsonDocument::~JsonDocument() {
  while (!open_.empty()) End();
  stream_.Put('\n');
  PassOn(0);
}

void JsonDocument::Open(char bracket, std::string_view key) {
  Key(key);
  open_.push_back(bracket);
  bracket == '{' ? writer_.StartObject() : writer_.StartArray();
}

void JsonDocument::End() {
  open_.back() == '{' ? writer_.EndObject() : writer_.EndArray();
  open_.pop_back();
  PassOn(kPassOnBytes);
}

void JsonDocument::Field(std::string_view key, std::string_view text) {
  Key(key);
  Text(text);
}

void JsonDocument::Field(std::string_view key, std::uint64_t number) {
  Key(key);
  writer_.Uint64(number);
}

void JsonDocument::Flag(std::string_view key, bool value) {
  Key(key);
  writer_.Bool(value);
}

void JsonDocument::Raw(std::string_view key, std::string_view json) {
  if (json.empty()) return;
  Key(key);
  writer_.RawValue(json.data(), json.size(), rapidjson::kObjectType);
}

void JsonDocument::Element(std::string_view text) { Text(text); }

void JsonDocument::RawElement(std::string_view json) {
  writer_.RawValue(json.data(), json.size(), rapidjson::kObjectType);
  PassOn(kPassOnBytes);
}

void JsonDocument::Key(std::string_view key) {
  if (!key.empty()) writer_.Key(key.data(), Size(key));
}

// File names may be any bytes; JSON may not.
void JsonDocument::Text(std::string_view text) {
  const std::string readable = IsUtf8(text) ? std::string(text) : Printable(text);
  writer_.String(readable.data(), Size(readable));
}

void JsonDocument::PassOn(std::size_t at_least) {
  if (stream_.text.size() < at_least) return;
  out_.WriteJson(stream_.text);
  stream_.text.clear();
}

}  // namespace turnlog
