#include "logctl/json_document.h"

#include "base/utf8.h"
#include "logctl/text.h"
#include "turnlog/json.h"

namespace turnlog {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{32} << 10;

// File names may be any bytes; JSON may not.
std::string Quoted(std::string_view text) { return JsonString(IsUtf8(text) ? text : Printable(text)).text(); }

}  // namespace

JsonDocument::JsonDocument(Output& out) : out_(out), text_("{"), open_("{") {}

JsonDocument::~JsonDocument() {
  while (!open_.empty()) End();
  text_ += '\n';
  Flush(0);
}

void JsonDocument::Open(char bracket, std::string_view key) {
  Begin(key);
  text_ += bracket;
  open_ += bracket;
  empty_ = true;
}

void JsonDocument::End() {
  const char closing = open_.back() == '{' ? '}' : ']';
  open_.pop_back();
  if (!empty_) Indent();
  text_ += closing;
  empty_ = false;
  Flush(kFlushBytes);
}

void JsonDocument::Begin(std::string_view key) {
  if (!empty_) text_ += ',';
  empty_ = false;
  Indent();
  if (!key.empty()) text_.append(Quoted(key)).append(": ");
}

void JsonDocument::Indent() { text_.append(1, '\n').append(2 * open_.size(), ' '); }

void JsonDocument::Field(std::string_view key, std::string_view text) {
  Begin(key);
  text_ += Quoted(text);
}

void JsonDocument::Field(std::string_view key, std::uint64_t number) {
  Begin(key);
  text_ += std::to_string(number);
}

void JsonDocument::Flag(std::string_view key, bool value) {
  Begin(key);
  text_ += value ? "true" : "false";
}

void JsonDocument::Raw(std::string_view key, std::string_view json) {
  if (json.empty()) return;
  Begin(key);
  text_ += json;
}

void JsonDocument::Element(std::string_view text) { Field({}, text); }

void JsonDocument::RawElement(std::string_view json) {
  Raw({}, json);
  Flush(kFlushBytes);
}

void JsonDocument::Flush(std::size_t at_least) {
  if (text_.size() < at_least) return;
  out_.WriteJson(text_);
  text_.clear();
}

}  // namespace turnlog
