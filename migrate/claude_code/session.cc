#include "migrate/claude_code/session.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "migrate/claude_code/converter.h"
#include "migrate/claude_code/tool_results.h"
#include "migrate/logged/copied_history.h"
#include "migrate/records/probe_records.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".jsonl", kSubagents = "subagents";

bool IsAgentFile(std::string_view name) {
  return fs::path(name).filename().string().starts_with("agent-") && name.ends_with(kExtension);
}

std::optional<std::string> SessionIn(SourceFile& file) {
  std::optional<std::string> session;
  AnyFirstRecord(file, [&](const JsonObject& record) {
    session = record.String(record["sessionId"].empty() ? "session_id" : "sessionId");
    return session && !session->empty();
  });
  return session;
}

// The folder before `subagents` in the path of a subagent's file.
std::optional<std::string> SessionInPath(const fs::path& path) {
  const fs::path* before = nullptr;
  std::optional<std::string> session;
  for (const fs::path& part : path) {
    if (part == kSubagents && before != nullptr) session = before->string();
    before = &part;
  }
  return session;
}

// The session of the source's first file, which may be a subagent's.
std::string SessionOf(Source& source) {
  SourceFile& file = source.files.front();
  std::string stem = IdOfFile(file.name());
  if (IsAgentFile(file.name())) {
    if (const auto session = SessionInPath(file.path())) return *session;
  } else if (IsUuid(stem)) {
    return stem;
  }
  if (source.conversation == stem) return stem;  // as it was imported before
  const auto session = SessionIn(file);
  return session && !session->empty() && *session != stem ? *session : stem;
}

std::string AgentConversation(std::string_view session, std::string_view name) {
  const std::string stem = IdOfFile(name);
  return session == stem ? stem : std::string(session) + "/" + stem;
}

std::vector<SourcePart> OnePart(std::string_view name, std::string bytes, std::uint64_t size) {
  std::vector<SourcePart> parts;
  parts.push_back({.name = std::string(name), .bytes = std::move(bytes), .size = size});
  return parts;
}

std::optional<std::string> OriginIn(SourceFile& file) {
  std::optional<std::string> from;
  AnyFirstRecord(file, [&](const JsonObject& record) {
    from = record.Object("forkedFrom").String("sessionId");
    return from || IsJsonString(record["uuid"]);  // a file that grows keeps its first message
  });
  return from;
}

void AddFork(RecordFile& session) {
  session.more_parts = [file = session.file] {
    auto from = OriginIn(*file);
    return from ? OnePart(kForkedFromPart, *std::move(from), 0) : std::vector<SourcePart>();
  };
}

void AddMeta(Source& source, RecordFile& agent) {
  const std::string& name = agent.file->name();
  SourceFile* file = source.Find(name.substr(0, name.size() - kExtension.size()).append(kMetaExtension));
  if (file == nullptr) return;
  agent.part_files.push_back(file);
  agent.more_parts = [file] {
    auto bytes = file->ReadAll();
    if (!bytes) return std::vector<SourcePart>();
    const std::uint64_t size = bytes->size();
    return OnePart(kMetaPart, *std::move(bytes), size);
  };
}

// `session`: that of the source.
RecordFile MakeFile(Source& source, SourceFile& file, const std::string& session) {
  const bool first = &file == &source.files.front();
  RecordFile made{.file = &file, .conversation = session + "/" + file.name()};
  made.unnamed = first && session == IdOfFile(file.name()) && !IsUuid(session);
  if (!first) made.parts.push_back({.name = std::string(kFilePart), .bytes = made.conversation});
  made.is_text = IsToolResultFile(file.name());
  const bool agent = IsAgentFile(file.name());
  if (!made.is_text) made.conversation = agent ? AgentConversation(session, file.name()) : session;
  if (made.conversation != session) made.parts.push_back({.name = std::string(kParentPart), .bytes = session});
  if (made.is_text) {
    made.converter = MakeTextConverter();
    return made;
  }
  made.converter = std::make_unique<ClaudeCodeConverter>(session, agent);
  agent ? AddMeta(source, made) : AddFork(made);
  return made;
}

}  // namespace

bool HoldsClaudeRecords(std::string_view head) {
  return AnyRecordOrCut(head, [](const JsonObject& record) {
    const auto has = [&](std::string_view name) { return IsJsonString(record[name]); };
    const std::string type = record.String("type").value_or("");
    if (type == "user" || type == "assistant") {
      return record["message"].starts_with('{') && (has("uuid") || has("sessionId") || has("cwd"));
    }
    if (type == "system" || type == "attachment" || type == "progress") {
      return has("uuid") && (has("sessionId") || !record["parentUuid"].empty());
    }
    // What is beside the conversation: a new kind with each version.
    if (!type.empty() && IsUuid(record.String("sessionId").value_or(""))) return true;
    return (type == "summary" && has("leafUuid")) || (type == "file-history-snapshot" && has("messageId")) ||
           type == "teleported-from";
  });
}

std::string ClaudeCompanionFolder(std::string_view file_name) {
  const bool has_one = file_name.ends_with(kExtension) && !IsAgentFile(file_name);
  return has_one ? StemOf(file_name) : std::string();
}

bool UsesClaudeFile(std::string_view name) {
  return IsAgentFile(name) || name.ends_with(kMetaExtension) || IsToolResultFile(name);
}

std::vector<ConversationId> ClaudeConversations(const Source& source) {
  std::vector<ConversationId> ids;
  const std::string session = StemOf(source.files.front().name());
  if (!IsUuid(session)) return ids;
  const auto add = [&](const std::string& name) {
    const auto id = ConversationId::Parse(name);
    if (id) ids.push_back(*id);
    return id.has_value();
  };
  for (const SourceFile& file : source.files) {
    const bool first = &file == &source.files.front();
    const bool text = !first && IsToolResultFile(file.name());
    if (!first && !text && !IsAgentFile(file.name())) continue;
    const std::string below = text ? session + "/" + file.name() : AgentConversation(session, file.name());
    if (!add(first ? session : below)) return {};
  }
  return ids;
}

std::optional<std::string> ClaudeBeginning(Source& source) {
  SourceFile& file = source.files.front();
  std::optional<std::string> first;
  if (IsAgentFile(file.name())) return first;
  AnyFirstRecord(file, [&](const JsonObject& record) {
    const std::string id = record.String("uuid").value_or("");
    if (id.empty()) return false;
    const bool marked = record["forkedFrom"].starts_with('{') || record.IsTrue("isSidechain");
    if (!marked && IsUuid(id)) first = id;
    return true;
  });
  return first;
}

std::optional<std::string> ClaudeOrigin(Source& source) {
  SourceFile& file = source.files.front();
  return IsAgentFile(file.name()) ? std::nullopt : OriginIn(file);
}

std::optional<RepeatedHistory> ClaudeMayRepeat(Source& source) {
  SourceFile& file = source.files.front();
  if (!IsAgentFile(file.name())) return std::nullopt;
  auto session = ConversationId::Parse(SessionOf(source));
  std::string first;
  AnyFirstRecord(file, [&](const JsonObject& record) {
    first = record.String("uuid").value_or("");
    return !first.empty();
  });
  if (!session || !IsUuid(first)) return std::nullopt;
  return RepeatedHistory{*std::move(session), std::move(first)};
}

std::vector<RecordFile> ClaudeFiles(Source& source) {
  std::vector<RecordFile> files;
  const std::string session = SessionOf(source);
  for (SourceFile& file : source.files) {
    const bool first = &file == &source.files.front();
    if (first || IsAgentFile(file.name()) || IsToolResultFile(file.name())) {
      files.push_back(MakeFile(source, file, session));
    }
  }
  return files;
}

}  // namespace turnlog
