#include "migrate/codex/session.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "migrate/codex/converter.h"
#include "migrate/format.h"
#include "migrate/logged/copied_history.h"
#include "migrate/records/list_reader.h"
#include "migrate/records/probe_records.h"
#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

// Without ".jsonl" and ".zst".
std::string NameWithoutExtensions(const std::string& name) {
  return IdOfFile(name.ends_with(".zst") ? StemOf(name) : name);
}

// The thread's id at the end of the name.
std::optional<std::string> ThreadInName(const std::string& file) {
  constexpr std::size_t kUuidLength = 36;
  const std::string name = NameWithoutExtensions(file);
  if (name.size() < kUuidLength) return std::nullopt;
  std::string id = name.substr(name.size() - kUuidLength);
  if (!IsUuid(id)) return std::nullopt;
  return id;
}

// The first lines of files before 2025-09 have no type.
bool IsHeader(const JsonObject& record) {
  return IsJsonString(record["id"]) && IsJsonString(record["timestamp"]) && !record["instructions"].empty() &&
         record["type"].empty();
}

// The lists of the TypeScript version's files: {"session":{...},"items":[...]}.
constexpr std::array<std::string_view, 1> kLists{"items"};

bool IsDocument(std::string_view name) { return name.ends_with(".json"); }

std::optional<std::string> SessionInDocument(std::string_view head) {
  const auto session = FindJsonField(head, "session");
  return session ? FindJsonString(session->value, "id") : std::nullopt;
}

struct Identity {
  std::optional<std::string> id, parent;
};

// From the session's first record about itself.
Identity ReadIdentity(SourceFile& file) {
  Identity identity;
  if (IsDocument(file.name())) {
    identity.id = SessionInDocument(file.Head(kProbeBytes).value_or(std::string()));
    return identity;
  }
  AnyFirstRecord(file, [&](const JsonObject& record) {
    const JsonObject payload = record.Object("payload");
    const JsonObject& meta = IsHeader(record) ? record : payload;
    if (!IsHeader(record) && record.String("type") != "session_meta") return false;
    identity.id = meta.String("id");
    identity.parent = NamedParent(meta);
    return true;
  });
  return identity;
}

// When the thread was begun.
std::optional<Timestamp> BegunAt(SourceFile& file) {
  std::optional<Timestamp> begun;
  AnyFirstRecord(file, [&](const JsonObject& record) {
    begun = record.Time("timestamp");
    return begun.has_value();
  });
  return begun;
}

}  // namespace

bool HoldsCodexRecords(std::string_view head) {
  static constexpr std::array<std::string_view, 5> kTypes{"session_meta", "response_item", "event_msg", "turn_context",
                                                          "compacted"};
  return AnyRecordOrCut(head, [](const JsonObject& record) {
    if (IsHeader(record)) return true;
    const std::string type = record.String("type").value_or("");
    return std::ranges::find(kTypes, type) != kTypes.end() && record["payload"].starts_with('{');
  });
}

std::optional<std::string> NamedParent(const JsonObject& meta) {
  const JsonObject spawn = meta.Object("source").Object("subagent").Object("thread_spawn");
  for (auto parent : {spawn.String("parent_thread_id"), meta.String("parent_thread_id"), meta.String("forked_from_id"),
                      meta.Object("history_base").String("thread_id")}) {
    if (parent) return parent;
  }
  return std::nullopt;
}

bool IsCodexDocument(std::string_view head) {
  return SessionInDocument(head).has_value() && FindList(head, kLists).found;
}

std::vector<ConversationId> CodexConversations(const Source& source) {
  const auto thread = ThreadInName(source.files.front().name());
  if (!thread) return {};
  return {ConversationId::Parse(*thread).value()};
}

// The session_meta of another thread, which follows the file's own, or the parent of a thread that counts what it has
// copied.
std::optional<std::string> CodexOrigin(Source& source) {
  std::optional<std::string> own, origin;
  bool counts = false;
  SourceFile& file = source.files.front();
  AnyFirstRecord(file, [&](const JsonObject& record) {
    if (record.String("type") != "session_meta") return true;
    const JsonObject meta = record.Object("payload");
    auto id = meta.String("id");
    if (!own) counts = !meta["subagent_history_start_ordinal"].empty();
    if (own && id != own) origin = std::move(id);
    if (!own) own = std::move(id);
    return origin.has_value();
  });
  return origin || !counts ? origin : ReadIdentity(file).parent;
}

SourceAge CodexAge(Source& source) {
  return {.names_another = CodexOrigin(source).has_value(), .begins = BegunAt(source.files.front()), .ends = {}};
}

std::vector<RecordFile> CodexFiles(Source& source) {
  SourceFile& file = source.files.front();
  auto name = ThreadInName(file.name());
  bool unnamed = false;
  if (!name) {
    const Identity identity = ReadIdentity(file);
    const bool has_id = identity.id && !identity.id->empty();
    unnamed = !has_id && !IsDocument(file.name());
    name = has_id ? *identity.id : NameWithoutExtensions(file.name());
  }
  std::vector<RecordFile> files;
  files.push_back({&file, *std::move(name), std::make_unique<CodexConverter>(), {}});
  if (IsDocument(file.name())) files.back().lists = kLists;
  files.back().unnamed = unnamed;
  files.back().more_parts = [&source] {
    std::vector<SourcePart> parts;
    const auto add = [&](std::string_view part, const std::optional<std::string>& thread) {
      if (thread) parts.push_back({.conversation = {}, .name = std::string(part), .bytes = *thread});
    };
    add(kParentPart, ReadIdentity(source.files.front()).parent);
    add(kForkedFromPart, CodexOrigin(source));
    return parts;
  };
  return files;
}

}  // namespace turnlog
