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

constexpr std::string_view kTag = "jp_import", kRedactionMark = "[redacted]";

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
  if (value.starts_with("[\"") && value.ends_with("\"]")) {
    const std::string_view encoded = value.substr(2, value.size() - 4);
    return encoded == kRedactionMark ? std::string(encoded) : DecodeBase64(encoded);
  }
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

// Whether `text` is what `redacted` was made of, as far as it can be told.
bool IsRedactedFormOf(std::string_view redacted, std::string_view text) {
  for (;;) {
    const std::size_t mark = redacted.find(kRedactionMark);
    const std::string_view part = redacted.substr(0, mark);
    if (!text.starts_with(part)) return false;
    if (mark == std::string_view::npos) return text.size() == part.size();
    text.remove_prefix(part.size());
    redacted.remove_prefix(mark + kRedactionMark.size());
    const std::string_view next = redacted.substr(0, redacted.find(kRedactionMark));
    const std::size_t place = next.size() == redacted.size() ? text.rfind(next) : text.find(next);
    if (place == std::string_view::npos) return false;
    text.remove_prefix(place);
  }
}

}  // namespace

std::vector<std::string> KeepRedacted(const JpRecord& known, JpRecord& source) {
  std::vector<std::string> outside;
  const auto keep = [&](std::string_view name, const std::string& redacted, std::string& text) {
    if (!redacted.contains(kRedactionMark) || redacted == text) return;
    if (!IsRedactedFormOf(redacted, text)) outside.emplace_back(name);
    text = redacted;
  };
  keep("the folder's name", known.directory, source.directory);
  keep("the end of events.json", known.trailer, source.trailer);
  if (known.packed_config && known.packed_config->contains(kRedactionMark)) {
    source.files.erase("base_config.json");  // where a newer jp has moved it
    if (!source.packed_config) source.packed_config = known.packed_config;
    keep("the base config", *known.packed_config, *source.packed_config);
  }
  for (auto& [name, bytes] : source.files) {
    const auto file = known.files.find(name);
    if (file != known.files.end()) keep(name, file->second, bytes);
  }
  return outside;
}

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
