#include "doctor/session_kinds.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "doctor/jp_pieces.h"
#include "migrate/jp/record.h"
#include "migrate/opencode/storage.h"
#include "migrate/records/document_reader.h"
#include "migrate/records/list_reader.h"
#include "migrate/records/record_reader.h"
#include "migrate/records/record_source.h"
#include "migrate/sqlite/database.h"

namespace turnlog {
namespace {

using Layout = SessionFile::Layout;

// What is known of a format.
struct SessionKind {
  std::string_view format;
  MakeChecks checks = nullptr;
  bool (*is_record)(const JsonObject& object) = nullptr;  // amid damaged bytes
  std::span<const std::string_view> lists{};              // of documents; none: the format's reader knows its files
};

bool IsClaudeRecord(const JsonObject& object) { return IsJsonString(object["type"]) && IsJsonString(object["uuid"]); }
bool IsCodexRecord(const JsonObject& object) { return IsJsonString(object["timestamp"]) && !object["payload"].empty(); }
bool IsGeminiRecord(const JsonObject& object) { return IsJsonString(object["id"]) && IsJsonString(object["type"]); }

bool IsMessage(const JsonObject& object) { return IsJsonString(object["role"]) || IsJsonString(object["type"]); }

constexpr std::array<std::string_view, 1> kMessages{"messages"};
constexpr std::array<std::string_view, 2> kMessagesOrContent{"messages", "content"};
constexpr std::array<std::string_view, 2> kMessagesOrHistory{"messages", "history"};
constexpr std::array<std::string_view, 2> kMessagesOrPrompt{"messages", "prompt"};
constexpr std::array<std::string_view, 3> kMessagesOrItems{"messages", "input", "output"};

constexpr std::array<SessionKind, 11> kKinds{{{"claude-code", CheckClaudeSession, IsClaudeRecord},
                                              {"codex", CheckCodexSession, IsCodexRecord},
                                              {"gemini", CheckGeminiSession, IsGeminiRecord, kMessagesOrHistory},
                                              {"anthropic", CheckAnthropicMessages, IsMessage, kMessagesOrContent},
                                              {"openai", CheckOpenAiList, IsMessage, kMessagesOrItems},
                                              {"ui-messages", CheckUiMessages, IsMessage, kMessages},
                                              {"model-messages", CheckNoRecords, IsMessage, kMessagesOrPrompt},
                                              {"opencode", CheckOpencodeExport, nullptr, kMessages},
                                              {"jp", CheckJpEvents},
                                              {"openai-agents"},
                                              {"langgraph"}}};

const SessionKind* FindKind(std::string_view format) {
  const auto found = std::ranges::find(kKinds, format, &SessionKind::format);
  return found == kKinds.end() ? nullptr : &*found;
}

// That of the last message which names one: the files are in the order of the messages.
std::optional<Provider> StorageProvider(Source& source) {
  for (auto file = source.files.rbegin(); file != source.files.rend(); ++file) {
    if (!file->path().string().contains("/message/")) continue;
    const std::string text = file->ReadAll().value_or(std::string());
    const auto message = JsonObject::Parse(text);
    if (auto provider = message ? OpencodeProvider(*message) : std::nullopt) return provider;
  }
  return std::nullopt;
}

// A session of opencode's storage folder: each file is an object.
std::vector<SessionFile> StorageFiles(Source& source) {
  std::vector<SessionFile> files;
  const std::optional<Provider> provider = StorageProvider(source);
  for (SourceFile& file : source.files) {
    files.push_back({.file = &file,
                     .format = "opencode",
                     .layout = Layout::kDocument,
                     .checks = CheckOpencodeFile,
                     .is_part = !files.empty(),
                     .provider = provider});
  }
  return files;
}

// The events first: what is found in the folder is about them.
std::vector<SessionFile> JpFiles(Source& source) {
  std::vector<SessionFile> files;
  for (const std::string_view name : {kJpEventsFile, kJpMessagesFile}) {
    if (!files.empty()) break;
    SourceFile* const events = source.Find(name);
    if (events != nullptr) files.push_back({events, "jp", Layout::kJpEvents, {}, CheckJpEvents});
  }
  for (const std::string_view name : {"metadata.json", "base_config.json"}) {
    SourceFile* const file = source.Find(name);
    if (file == nullptr) continue;
    files.push_back({.file = file,
                     .format = "jp",
                     .layout = Layout::kDocument,
                     .checks = name == "metadata.json" ? CheckJpMetadata : CheckNoRecords,
                     .is_part = !files.empty()});
  }
  return files;
}

// What the format's reader makes of the source.
std::vector<SessionFile> RecordFiles(const SessionKind& kind, const Format& format, Source& source) {
  std::vector<SessionFile> files;
  if (format.import.record_files == nullptr) return files;
  for (const RecordFile& file : format.import.record_files(source)) {
    if (file.rows || file.is_text || file.is_record) continue;
    const Layout layout = file.lists.empty() ? Layout::kLines : Layout::kList;
    files.push_back({file.file, format.name, layout, file.lists, kind.checks, kind.is_record});
  }
  return files;
}

}  // namespace

std::vector<SessionFile> SessionFilesOf(const Format& format, Source& source) {
  const SessionKind* const kind = FindKind(format.name);
  if (kind == nullptr || IsDatabase(source)) return {};
  if (format.name == "jp") return JpFiles(source);
  if (format.name == "opencode" && IsOpencodeStorage(source)) return StorageFiles(source);
  if (kind->lists.empty())
    return kind->checks == nullptr ? std::vector<SessionFile>() : RecordFiles(*kind, format, source);
  SourceFile& file = source.files.front();
  const bool is_lines = file.name().ends_with(".jsonl") && format.name != "opencode";
  return {{&file, format.name, is_lines ? Layout::kLines : Layout::kList, kind->lists, kind->checks, kind->is_record}};
}

std::unique_ptr<PieceReader> ReadPieces(const SessionFile& session, SourceFile& file) {
  switch (session.layout) {
    case Layout::kLines:
      return std::make_unique<RecordReader>(file, session.is_record);
    case Layout::kList:
      return std::make_unique<ListReader>(file, session.lists);
    case Layout::kJpEvents:
      return std::make_unique<JpPieces>(file);
    case Layout::kDocument:
      break;
  }
  return std::make_unique<DocumentReader>(file);
}

}  // namespace turnlog
