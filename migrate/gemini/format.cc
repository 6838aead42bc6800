#include "migrate/gemini/format.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "migrate/gemini/converter.h"
#include "migrate/gemini/usage.h"
#include "migrate/records/export_records.h"
#include "migrate/records/list_reader.h"
#include "migrate/records/probe_records.h"
#include "migrate/sessions/export_session.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

constexpr std::array<std::string_view, 2> kLists{"messages", "history"};
constexpr std::array<std::string_view, 9> kSigns{R"("sessionId")", R"("projectHash")", R"("startTime")",
                                                 R"("history")",   R"("parts")",       R"("gemini")",
                                                 R"("$set")",      R"("$rewindTo")",   R"("timestamp")"};
constexpr std::array<std::string_view, 6> kTypes{"user", "gemini", "model", "info", "error", "warning"};

bool IsDocument(std::string_view name) { return name.ends_with(".json"); }

bool IsMessage(const JsonObject& record) {
  const bool has_content = !record["content"].empty() || !record["parts"].empty();
  return has_content && std::ranges::find(kTypes, record.String("type").value_or("")) != kTypes.end();
}

// What is said of a session at the beginning of its file.
bool IsHeader(const JsonObject& record) {
  return IsJsonString(record["sessionId"]) && IsJsonString(record["startTime"]) && record["type"].empty();
}

// `projectHash` is Gemini CLI's own: its documents are recognised also if they have no message yet, or the first one is
// damaged.
bool IsGeminiDocument(std::string_view head) {
  if (!FindJsonString(head, "sessionId")) return false;
  if (FindJsonString(head, "projectHash")) return true;
  return FindJsonString(head, "startTime") && std::ranges::any_of(FirstRecords(head, kLists, IsMessage), IsMessage);
}

bool HoldsGeminiLines(std::string_view head) {
  return AnyRecordOrCut(head, [](const JsonObject& record) {
    return IsHeader(record) || !record["$rewindTo"].empty() || record["$set"].starts_with('{') ||
           (record.String("type") == "gemini" && IsMessage(record));
  });
}

Match MatchFile(const FileProbe& probe) {
  const bool document = IsDocument(probe.name);
  if (!document && !probe.name.ends_with(".jsonl")) return Match::kNo;
  const bool own = document ? IsGeminiDocument(probe.head) : HoldsGeminiLines(probe.head);
  if (own) return Match::kByContent;
  return !document || probe.name.starts_with("session-") ? Match::kByName : Match::kNo;
}

// What a file says of its session; empty: nothing.
struct GeminiSession {
  std::string id;
  bool subagent = false;
};

// Documents may say after their messages that they are of a subagent: on a line of its own that is indented like no
// other, as Gemini CLI writes them.
bool EndsAsSubagent(SourceFile& file) {
  const std::uint64_t size = file.FindSize().value_or(0);
  std::string tail(std::min<std::uint64_t>(size, kProbeBytes), '\0');
  tail.resize(file.ReadAt(size - tail.size(), tail).value_or(0));
  return tail.contains("\n  \"kind\": \"subagent\"");
}

GeminiSession SessionIn(SourceFile& file) {
  constexpr std::string_view kSubagent = "subagent";
  const std::string head = file.Head(kProbeBytes).value_or(std::string());
  GeminiSession session;
  if (IsDocument(file.name())) {
    session.id = FindJsonString(head, "sessionId").value_or("");
    session.subagent = FindJsonString(head, "kind") == kSubagent || EndsAsSubagent(file);
  }
  AnyRecord(head, [&](const JsonObject& record) {
    if (!session.id.empty() || !IsHeader(record)) return true;
    session = {.id = record.String("sessionId").value_or(""), .subagent = record.String("kind") == kSubagent};
    return true;  // only the first line
  });
  return session;
}

// Subagents are in a folder with the name of the session that started them. Earlier they were beside it, and had its
// id. Empty: it is none.
std::string ParentOf(const Source& source, const GeminiSession& session) {
  if (IsUuid(source.folder)) return source.folder;
  return session.subagent && IsUuid(session.id) ? session.id : std::string();
}

// One that an earlier version has taken for a part of its session's conversation stays there.
std::string ConversationOf(const Source& source, const GeminiSession& session, const std::string& parent) {
  if (!source.conversation.empty()) return source.conversation;
  if (!session.id.empty() && source.earlier == session.id) return session.id;
  return session.id.empty() || session.id == parent ? IdOfFile(source.files.front().name()) : session.id;
}

std::vector<RecordFile> Files(Source& source) {
  SourceFile& file = source.files.front();
  // The beginning of lines that are read on is not read again.
  const bool reads_on = !source.conversation.empty() && !IsDocument(file.name());
  const GeminiSession session = reads_on ? GeminiSession() : SessionIn(file);
  const std::string parent = ParentOf(source, session);
  std::vector<RecordFile> files;
  files.push_back({&file, ConversationOf(source, session, parent), std::make_unique<GeminiConverter>(), {}});
  if (IsDocument(file.name())) files.back().lists = kLists;
  files.back().unnamed = !IsDocument(file.name()) && files.back().conversation == IdOfFile(file.name());
  if (!parent.empty() && parent != files.back().conversation) {
    files.back().parts.push_back({.name = std::string(kParentPart), .bytes = parent});
  }
  return files;
}

// An approval is a state of its call.
bool ForgetsQuestions(const Source& source) { return IsDocument(source.files.front().name()); }

std::unique_ptr<SourceReader> Read(Source& source) {
  return std::make_unique<RecordSource>(kGeminiName, Files(source));
}

}  // namespace

constinit const Format kGeminiFormat{
    .name = kGeminiName,
    .description = "sessions of Gemini CLI, JSON or JSON lines, or all of ~/.gemini/tmp",
    .import = {.revision = 8,
               .match_file = MatchFile,
               .signs = kSigns,
               .read = Read,
               .record_files = Files,
               .forgets_questions = ForgetsQuestions,
               .may_shrink = true},
    .usage = ReadGeminiUsage,
    .export_to_stream = ExportRecordsOf<kGeminiName>,
};

constinit const Format kGeminiCliFormat{
    .name = "gemini-cli",
    .description = "sessions of Gemini CLI; gemini is the format of requests",
    .export_to_stream = ExportSessionOf<SessionTool::kGeminiCli>,
};

}  // namespace turnlog
