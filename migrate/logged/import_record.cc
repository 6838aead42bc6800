#include "migrate/logged/import_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/utf8.h"
#include "schema/event/import_event.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"
#include "turnlog/json.h"

namespace turnlog {
namespace {

constexpr std::string_view kRedactionMark = "[redacted]";
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

// Redacting JSON puts quotes around the mark of a number, and numbers equal keys (docs/redaction.md): only the marks.
std::string WithBareMarks(std::string_view redacted) {
  std::string bare;
  for (std::size_t mark; (mark = redacted.find(kRedactionMark)) != std::string_view::npos;) {
    std::string_view after = redacted.substr(mark + kRedactionMark.size());
    const bool quoted = mark > 0 && redacted[mark - 1] == '"' && after.starts_with('"');
    bare.append(redacted.substr(0, quoted ? mark - 1 : mark)).append(kRedactionMark);
    if (after.starts_with('#')) after.remove_prefix(std::min(after.find_first_not_of("0123456789", 1), after.size()));
    redacted = after.substr(quoted ? 1 : 0);
  }
  return bare.append(redacted);
}

// The numbers and words of JSON outside of its strings.
std::vector<std::string_view> ScalarsOf(std::string_view json) {
  std::vector<std::string_view> scalars;
  const auto in_scalar = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
           c == '.';
  };
  for (std::size_t at = 0; at < json.size();) {
    std::size_t end = at + 1;
    if (json[at] == '"') {
      while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2 : 1;
      ++end;
    } else if (in_scalar(json[at])) {
      while (end < json.size() && in_scalar(json[end])) ++end;
      scalars.push_back(json.substr(at, end - at));
    }
    at = end;
  }
  return scalars;
}

// `text` with those numbers and words of `form` that may be redacted ones, if it has as many.
std::string WithRedactedScalars(std::string_view form, std::string_view text) {
  const std::vector<std::string_view> redacted = ScalarsOf(form), original = ScalarsOf(text);
  if (redacted.size() != original.size()) return std::string(text);
  std::string out;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < original.size(); ++i) {
    if (redacted[i] != "0" && redacted[i] != "false" && redacted[i] != "null") continue;
    const auto begin = static_cast<std::size_t>(original[i].data() - text.data());
    out.append(text.substr(copied, begin - copied)).append(redacted[i]);
    copied = begin + original[i].size();
  }
  return out.append(text.substr(copied));
}

// Whether `text` may be the text that `form` was made from.
bool IsRedactedFormOf(std::string_view form, std::string_view source) {
  const bool json = form.starts_with('{') || form.starts_with('[');
  const std::string changed = json ? WithRedactedScalars(form, source) : std::string();
  std::string_view text = json ? std::string_view(changed) : source;
  const std::string bare = WithBareMarks(form);
  for (std::string_view redacted = bare;;) {
    const std::size_t mark = redacted.find(kRedactionMark);
    const std::string_view part = redacted.substr(0, mark);
    if (!text.starts_with(part)) return false;
    if (mark == std::string_view::npos) return text.size() == part.size();
    text.remove_prefix(part.size());
    redacted.remove_prefix(mark + kRedactionMark.size());
    const std::string_view next = redacted.substr(0, redacted.find(kRedactionMark));
    const std::size_t found = next.size() == redacted.size() ? text.rfind(next) : text.find(next);
    if (found == std::string_view::npos) return false;
    text.remove_prefix(found);
  }
}

}  // namespace

bool HaveOtherLayouts(const ImportRecord& one, const ImportRecord& other) {
  const std::string name(kLayoutPart);
  const auto first = one.parts.find(name), second = other.parts.find(name);
  return first != one.parts.end() && second != other.parts.end() && first->second != second->second;
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
  const auto& verbatim = std::get<BasicVerbatim<std::string_view>>(event.body);
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

void RedactedParts::Add(const ImportRecord& record, bool redacted) {
  if (!redacted && !record.redacted && parts_.empty() && !source_) return;
  const auto shows = [&](const std::string& text) { return text.contains(kRedactionMark); };
  if (shows(record.source)) source_ = record.source;
  for (const auto& [name, bytes] : record.parts) {
    const bool is_redacted = shows(bytes) || record.redacted_parts.contains(name);
    if (is_redacted || shows(name)) parts_[name] = {bytes, is_redacted};
  }
}

// The redacted form of the part with this name; changes `name` if the name itself is redacted.
const std::string* RedactedParts::FormOf(std::string& name, SamePart same_part) const {
  auto found = parts_.find(name);
  if (found == parts_.end()) {
    found = std::ranges::find_if(parts_, [&](const auto& part) {
      return (same_part != nullptr && same_part(part.first, name)) ||
             (part.first.contains(kRedactionMark) && IsRedactedFormOf(part.first, name));
    });
  }
  if (found == parts_.end()) return nullptr;
  name = found->first;
  return found->second.redacted ? &found->second.bytes : nullptr;
}

std::vector<std::string> RedactedParts::Apply(ImportRecord& record, SamePart same_part) const {
  std::vector<std::string> outside;
  const auto keep = [&](const std::string& name, const std::string& form, std::string& text) {
    if (form != text && !IsRedactedFormOf(form, text)) outside.push_back(name);
    text = form;
    record.redacted = true;
  };
  if (source_) keep("the name of the source", *source_, record.source);
  std::map<std::string, std::string> parts;
  for (auto& [name, bytes] : record.parts) {
    std::string kept = name;
    const std::string* form = FormOf(kept, same_part);
    if (kept != name) record.redacted = true;
    if (form != nullptr) {
      keep(kept, *form, bytes);
      record.redacted_parts.insert(kept);
    }
    parts.insert_or_assign(std::move(kept), std::move(bytes));
  }
  record.parts = std::move(parts);
  return outside;
}

}  // namespace turnlog
