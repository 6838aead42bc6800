#include "migrate/jp/record.h"

#include <strings.h>

#include <algorithm>

#include "base/unicode.h"
#include "migrate/jp/array.h"
#include "migrate/jp/reader.h"
#include "migrate/records/json_array.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"
#include "schema/json/json_writer.h"
#include "turnlog/json.h"

namespace turnlog {
namespace {

constexpr std::string_view kFilePrefix = "files/", kArchivePrefix = ".archive/", kConfigFile = "files/base_config.json";

// A record may have been forged: an export must not write elsewhere, nor names that a terminal would act on.
// A file called .git may send git to a configuration with commands.
bool IsPlainName(std::string_view name) {
  constexpr std::string_view kGit = ".git";
  const bool git = name.size() == kGit.size() && ::strncasecmp(name.data(), kGit.data(), kGit.size()) == 0;
  return !name.empty() && name != "." && name != ".." && !git && !name.contains('/') && IsSafeText(name);
}

std::string InPackedLayout(std::string_view config) {
  std::string compact;
  AppendCompact(config, compact);
  std::string text(CanonicalLead(true));
  AppendPretty(compact, 1, text);
  return text;
}

bool AddPart(const std::string& name, const std::string& bytes, JpRecord& record) {
  if (name == kJpTrailerPart) {
    record.trailer = bytes;
  } else if (name == kJpTornPart) {
    record.torn = bytes;
  } else if (name == kJpHistoryPart && bytes == kJpMessagesFile) {
    record.history = bytes;
  } else if (name == kJpConfigPart) {
    record.packed_config = bytes.starts_with('{') ? InPackedLayout(bytes) : bytes;
  } else if (name.starts_with(kFilePrefix) && IsPlainName(std::string_view(name).substr(kFilePrefix.size()))) {
    record.files.emplace(name.substr(kFilePrefix.size()), bytes);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<JpRecord> ReadJpRecord(const ImportRecord& record) {
  JpRecord read;
  if (record.format != "jp") return std::nullopt;
  read.archived = record.source.starts_with(kArchivePrefix);
  read.directory = record.source.substr(read.archived ? kArchivePrefix.size() : 0);
  if (!IsPlainName(read.directory) || !JpConversationId(read.directory)) return std::nullopt;
  for (const auto& [name, bytes] : record.parts) {
    if (!AddPart(name, bytes, read)) return std::nullopt;
  }
  return read;
}

std::string JpFilePart(std::string_view file) { return std::string(kFilePrefix).append(file); }

std::string JpConfigPart(std::string_view packed_config) {
  const std::string_view lead = CanonicalLead(true);
  const auto json = ParseJson(packed_config.substr(std::min(lead.size(), packed_config.size())));
  if (!json || InPackedLayout(json->text()) != packed_config) return std::string(packed_config);
  return JpFileLayout(json->text());
}

std::string JpFileLayout(std::string_view json) {
  std::string compact, text;
  AppendCompact(json, compact);
  AppendPretty(compact, 0, text);
  return text.append("\n");
}

std::string ConfigOfDelta(std::string_view packed_config) {
  const std::string_view element = packed_config.substr(LeadLength(packed_config));
  if (const auto delta = FindJsonField(element, "delta")) {
    return std::string(delta->value.starts_with('{') ? delta->value : std::string_view());
  }
  std::string config;
  JsonWriter json(config);
  json.StartObject();
  for (JsonFields each(element); each.Next().value_or(false);) {
    if (each.KeyIs("type") || each.KeyIs("timestamp")) continue;
    json.Value().append(each.key()).append(":").append(each.value());
  }
  json.EndObject();
  return config;
}

bool IsSameJpPart(std::string_view one, std::string_view other) {
  const auto is_config = [](std::string_view name) { return name == kJpConfigPart || name == kConfigFile; };
  return is_config(one) && is_config(other);
}

}  // namespace turnlog
