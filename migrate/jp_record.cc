#include "migrate/jp_record.h"

#include <fmt/format.h>

#include <charconv>

#include "migrate/base64.h"
#include "migrate/jp_reader.h"
#include "migrate/json_text.h"
#include "schema/json_scan.h"
#include "schema/utf8_scan.h"
#include "turnlog/json.h"

namespace turnlog {
namespace {

constexpr std::string_view kTag = "jp_import";

// A JSON object that jp would lay out as it stands, between `before` and `after`, is kept as JSON; other text as a
// string; other bytes as an array of one base64 string.
void AppendBytes(std::string_view bytes, std::string_view before, std::string_view after, std::string& out) {
  std::string compact;
  std::string again(before);
  if (bytes.substr(std::min(before.size(), bytes.size())).starts_with('{') && bytes.ends_with(after)) {
    const auto json = ParseJson(bytes.substr(before.size(), bytes.size() - before.size() - after.size()));
    if (json) AppendCompact(json->text(), compact);
    AppendPretty(compact, before.empty() ? 0 : 1, again);
    again += after;
  }
  if (!compact.empty() && again == bytes && ParseJson("[[" + compact + "]]")) {
    out += compact;
  } else if (IsUtf8Fast(bytes)) {
    AppendToken(bytes, out);
  } else {
    AppendBase64(bytes, out += "[\"");
    out += "\"]";
  }
}

std::optional<std::string> ReadBytes(std::string_view value, std::string_view before, std::string_view after) {
  if (value.starts_with('"')) return UnescapeJson(value);
  if (value.starts_with("[\"") && value.ends_with("\"]")) return DecodeBase64(value.substr(2, value.size() - 4));
  if (!value.starts_with('{')) return std::nullopt;
  std::string bytes(before);
  AppendPretty(value, before.empty() ? 0 : 1, bytes);
  return bytes.append(after);
}

bool IsPlainName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\0", 2)) == name.npos;
}

bool ReadFiles(std::string_view json, std::map<std::string, std::string>& files) {
  JsonFields names(json);
  while (names.Next().value_or(false)) {
    const std::string name = UnescapeJson(names.key());
    auto bytes = ReadBytes(names.value(), "", "\n");
    if (!IsPlainName(name) || !bytes) return false;
    files.emplace(name, *std::move(bytes));
  }
  return true;
}

}  // namespace

Event MakeJpRecordEvent(const JpRecord& record) {
  std::string json = R"({"type":"jp_import","directory":)";
  AppendToken(record.directory, json);
  if (record.archived) json += R"(,"archived":true)";
  json += fmt::format(R"(,"events":{})", record.events);
  if (!record.fingerprint.empty()) json += fmt::format(R"(,"fingerprint":"{}")", record.fingerprint);
  if (record.packed_config) AppendBytes(*record.packed_config, CanonicalLead(true), "", json += R"(,"base_config":)");
  if (!record.trailer.empty()) AppendToken(record.trailer, json += R"(,"trailer":)");
  json += R"(,"files":{)";
  for (const auto& [name, bytes] : record.files) {
    if (json.back() != '{') json.push_back(',');
    AppendToken(name, json);
    AppendBytes(bytes, "", "\n", json += ":");
  }
  json += "}}";
  Event event;
  event.body = Verbatim{EventKind::kUnknown, std::string(kTag), Json::FromTrusted(std::move(json))};
  return event;
}

std::optional<JpRecord> ReadJpRecord(const EventView& event) {
  const auto* verbatim = std::get_if<BasicVerbatim<std::string_view>>(&event.body);
  if (verbatim == nullptr || verbatim->tag != kTag) return std::nullopt;
  const std::string_view json = verbatim->json.text();
  JpRecord record;
  record.directory = FindJsonString(json, "directory").value_or("");
  record.fingerprint = FindJsonString(json, "fingerprint").value_or("");
  record.trailer = FindJsonString(json, "trailer").value_or("");
  record.archived = FindJsonField(json, "archived").value_or(JsonField{}).value == "true";
  const std::string_view events = FindJsonField(json, "events").value_or(JsonField{}).value;
  std::from_chars(events.data(), events.data() + events.size(), record.events);
  const auto config = FindJsonField(json, "base_config");
  if (config) record.packed_config = ReadBytes(config->value, CanonicalLead(true), "");
  const auto files = FindJsonField(json, "files");
  if (config && !record.packed_config) return std::nullopt;
  if (!files || !ReadFiles(files->value, record.files)) return std::nullopt;
  if (!IsPlainName(record.directory)) return std::nullopt;
  return record;
}

}  // namespace turnlog
