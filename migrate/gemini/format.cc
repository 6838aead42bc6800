#include "migrate/gemini/format.h"

#include <algorithm>
#include <array>
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

bool HasMessages(std::string_view head) {
  const ListBegin list = FindList(head, kLists);
  const std::size_t first = SkipJsonSpace(head, list.begin + 1);
  return list.found && first < head.size() && head[first] != ']';
}

// `projectHash` is Gemini CLI's own: its documents are recognised also if the first message is damaged.
bool IsGeminiDocument(std::string_view head) {
  if (!FindJsonString(head, "sessionId") || !FindJsonString(head, "startTime")) return false;
  const std::vector<JsonObject> messages = FirstRecords(head, kLists, IsMessage);
  if (!messages.empty()) return std::ranges::any_of(messages, IsMessage);
  return FindJsonString(head, "projectHash") && HasMessages(head);
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
  return own ? Match::kByContent : Match::kByName;
}

std::string SessionOf(Source& source) {
  if (!source.conversation.empty()) return source.conversation;
  SourceFile& file = source.files.front();
  const std::string head = file.Head(kProbeBytes).value_or(std::string());
  auto session = IsDocument(file.name()) ? FindJsonString(head, "sessionId") : std::nullopt;
  AnyRecord(head, [&](const JsonObject& record) {
    if (!session && IsHeader(record)) session = record.String("sessionId");
    return true;  // only the first line
  });
  return session && !session->empty() ? *std::move(session) : IdOfFile(file.name());
}

std::vector<RecordFile> Files(Source& source) {
  SourceFile& file = source.files.front();
  std::vector<RecordFile> files;
  files.push_back({&file, SessionOf(source), std::make_unique<GeminiConverter>(), {}});
  if (IsDocument(file.name())) files.back().lists = kLists;
  files.back().unnamed = !IsDocument(file.name()) && files.back().conversation == IdOfFile(file.name());
  // Subagents are in a folder with the name of the session that started them.
  if (IsUuid(source.folder)) files.back().parts.push_back({.name = std::string(kParentPart), .bytes = source.folder});
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
