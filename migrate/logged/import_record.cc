#include "migrate/logged/import_record.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/base64.h"
#include "base/utf8.h"
#include "sanitize/redaction/redacted_text.h"
#include "schema/event/import_event.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"
#include "turnlog/json.h"

namespace turnlog {
namespace {

constexpr std::string_view kImportSameParts = "same_parts";

// A file with one JSON object in a common layout is stored as JSON; other text as a string; other bytes as an array of
// one base64 string.
void AppendBytes(std::string_view bytes, std::string& out) {
  std::string compact;
  std::string again;
  if (bytes.starts_with('{') && bytes.ends_with('\n')) {
    const auto json = ParseJson(bytes.substr(0, bytes.size() - 1));
    if (json) AppendCompact(json->text(), compact);
    AppendPretty(compact, 0, again);
    again += '\n';
  }
  if (!compact.empty() && again == bytes && ParseJson("[[" + compact + "]]")) {
    out += compact;
  } else if (IsUtf8(bytes)) {
    AppendJsonString(bytes, out);
  } else {
    AppendBase64(bytes, out += "[\"");
    out += "\"]";
  }
}

std::optional<std::string> ReadBytes(std::string_view value) {
  if (value.starts_with('"')) return UnescapeJson(value);
  if (value.starts_with("[\"") && value.ends_with("\"]")) {
    const std::string_view encoded = value.substr(2, value.size() - 4);
    return encoded == kRedactionMark ? std::string(encoded) : DecodeBase64(encoded);
  }
  if (!value.starts_with('{')) return std::nullopt;
  std::string bytes;
  AppendPretty(value, 0, bytes);
  return bytes.append("\n");
}

bool ReadParts(std::string_view json, std::string_view prefix, std::map<std::string, std::string>& parts) {
  if (!json.starts_with('{')) return false;
  JsonFields names(json);
  while (names.Next().value_or(false)) {
    auto bytes = ReadBytes(names.value());
    if (!bytes) return false;
    parts.emplace(std::string(prefix).append(UnescapeJson(names.key())), *std::move(bytes));
  }
  return true;
}

bool IsTrue(std::string_view json, std::string_view name) {
  return FindJsonField(json, name).value_or(JsonField{}).value == "true";
}

// 0 if there is none.
std::uint64_t NumberIn(std::string_view json, std::string_view name) {
  const std::string_view digits = FindJsonField(json, name).value_or(JsonField{}).value;
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

void AppendNames(std::string_view field, const std::set<std::string>& names, std::string& json) {
  if (names.empty()) return;
  json += fmt::format(R"(,"{}":[)", field);
  for (const std::string& name : names) {
    if (json.back() != '[') json.push_back(',');
    AppendJsonString(name, json);
  }
  json.push_back(']');
}

std::set<std::string> NamesIn(std::string_view json, std::string_view field) {
  std::set<std::string> names;
  const auto list = FindJsonField(json, field);
  if (!list || !list->value.starts_with('[')) return names;
  for (JsonElements each(list->value); each.Next().value_or(false);) {
    if (each.value().starts_with('"')) names.insert(UnescapeJson(each.value()));
  }
  return names;
}

// `jp_import`, of older versions: the names of folder and files are separate fields.
bool ReadOldParts(std::string_view json, ImportRecord& record) {
  record.format = "jp";
  const auto directory = FindJsonString(json, "directory");
  const auto files = FindJsonField(json, "files");
  if (!directory || !files || !ReadParts(files->value, "files/", record.parts)) return false;
  record.source = (IsTrue(json, "archived") ? ".archive/" : "") + *directory;
  if (const auto trailer = FindJsonString(json, "trailer")) record.parts["trailer"] = *trailer;
  if (const auto config = FindJsonField(json, "base_config")) {
    auto bytes = ReadBytes(config->value);
    if (!bytes) return false;
    record.parts["base_config"] = *std::move(bytes);
  }
  return true;
}

bool ReadNewParts(std::string_view json, ImportRecord& record) {
  const auto format = FindJsonString(json, "format");
  const auto source = FindJsonString(json, "source");
  const auto parts = FindJsonField(json, "parts");
  if (!format || !source) return false;
  record.format = *format;
  record.source = *source;
  return !parts || ReadParts(parts->value, "", record.parts);
}

}  // namespace

std::string_view ImportRecord::Part(std::string_view name) const {
  const auto found = parts.find(std::string(name));
  return found == parts.end() ? std::string_view() : found->second;
}

bool HaveOtherLayouts(const ImportRecord& one, const ImportRecord& other) {
  const std::string_view first = one.Part(kLayoutPart), second = other.Part(kLayoutPart);
  return !first.empty() && !second.empty() && first != second;
}

void LeaveOutSameParts(const ImportRecord& before, ImportRecord& record) {
  constexpr std::size_t kLong = 1024;
  std::erase_if(record.parts, [&](const auto& part) {
    const auto known = before.parts.find(part.first);
    const bool same = part.second.size() >= kLong && known != before.parts.end() && known->second == part.second;
    if (same) record.same_parts.insert(part.first);
    return same;
  });
}

void TakeSameParts(ImportRecord&& before, ImportRecord& record) {
  for (const std::string& name : record.same_parts) {
    if (auto part = before.parts.extract(name)) record.parts.insert(std::move(part));
  }
  record.same_parts.clear();
}

Event MakeImportEvent(const ImportRecord& record) {
  std::string json = fmt::format(R"({{"type":"{}","format":)", kImportTag);
  AppendJsonString(record.format, json);
  AppendJsonString(record.source, json += R"(,"source":)");
  json += fmt::format(R"(,"events":{})", record.events);
  if (!record.fingerprint.empty()) {
    AppendJsonString(record.fingerprint, json += fmt::format(R"(,"{}":)", kImportFingerprint));
  }
  if (record.redacted) json += fmt::format(R"(,"{}":true)", kImportRedacted);
  AppendNames(kImportRedactedParts, record.redacted_parts, json);
  AppendNames(kImportSameParts, record.same_parts, json);
  if (record.revisions > 0) json += fmt::format(R"(,"revisions":{})", record.revisions);
  json += R"(,"parts":{)";
  for (const auto& [name, bytes] : record.parts) {
    if (json.back() != '{') json.push_back(',');
    AppendJsonString(name, json);
    AppendBytes(bytes, json += ":");
  }
  json += "}}";
  Event event;
  event.body = Verbatim{EventKind::kUnknown, std::string(kImportTag), Json::FromTrusted(std::move(json))};
  return event;
}

std::optional<ImportRecord> ReadImportEvent(const EventView& event) {
  if (!IsImportEvent(event)) return std::nullopt;
  const auto& verbatim = std::get<VerbatimView>(event.body);
  const std::string_view json = verbatim.json.text();
  ImportRecord record;
  const bool read = verbatim.tag == kOldImportTag ? ReadOldParts(json, record) : ReadNewParts(json, record);
  if (!read) return std::nullopt;
  record.fingerprint = FindJsonString(json, kImportFingerprint).value_or("");
  record.redacted = IsTrue(json, kImportRedacted);
  record.redacted_parts = NamesIn(json, kImportRedactedParts);
  record.same_parts = NamesIn(json, kImportSameParts);
  record.events = NumberIn(json, "events");
  record.revisions = NumberIn(json, "revisions");
  return record;
}

}  // namespace turnlog
