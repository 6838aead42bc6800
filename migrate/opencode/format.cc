#include "migrate/opencode/format.h"

#include <algorithm>
#include <array>
#include <utility>

#include "migrate/opencode/converter.h"
#include "migrate/opencode/database.h"
#include "migrate/opencode/export.h"
#include "migrate/opencode/storage.h"
#include "migrate/opencode/usage.h"
#include "migrate/opencode/whole_message.h"
#include "migrate/records/list_reader.h"
#include "migrate/records/probe_records.h"
#include "migrate/sqlite/row_reader.h"
#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

constexpr std::array<std::string_view, 1> kLists{"messages"};
constexpr std::array<std::string_view, 6> kSigns{R"("info")",      R"("parts")",     R"("messages")",
                                                 R"("sessionID")", R"("projectID")", R"("ses_)"};

bool IsDocument(std::string_view name) { return name.ends_with(".json") || name.ends_with(".jsonl"); }

bool IsMessage(const JsonObject& record) {
  return IsJsonString(record.Object("info")["role"]) && record["parts"].starts_with('[');
}

bool IsExport(std::string_view head) { return std::ranges::any_of(FirstRecords(head, kLists, IsMessage), IsMessage); }

Match MatchFile(const FileProbe& probe) {
  if (IsDocument(probe.name)) {
    const bool own = IsExport(probe.head) || (probe.name.ends_with(".json") && IsOpencodeSession(probe.head));
    return own || HasOpencodeMessages(probe) ? Match::kByContent : probe.head.empty() ? Match::kByName : Match::kNo;
  }
  if (!probe.head.starts_with(kSqliteMagic)) return Match::kNo;
  const bool own =
      (probe.head.contains("message_id") || probe.head.contains(kWholeMessages)) && probe.head.contains("time_updated");
  return own ? Match::kByContent : Match::kByName;
}

std::vector<std::string> CompanionFiles(const Surroundings& around) {
  return IsDocument(around.name) ? OpencodeSessionFiles(around) : DatabaseCompanions(around);
}

std::vector<RecordFile> DatabaseFiles(Source& source) {
  if (IsDocument(source.files.front().name())) return {};
  return OpencodeDatabase(source).value_or(std::vector<RecordFile>());
}

std::unique_ptr<SourceReader> Read(Source& source) {
  SourceFile& file = source.files.front();
  const std::string head = file.Head(kProbeBytes).value_or(std::string());
  if (head.starts_with(kSqliteMagic)) return ReadRows(kOpencode, source, OpencodeDatabase(source));
  const bool has_messages = source.files.size() > 1;  // also if its own file is damaged
  if (has_messages || (!IsExport(head) && IsOpencodeSession(head))) {
    return std::make_unique<RecordSource>(kOpencode, OpencodeStorage(source));
  }
  const auto info = FindJsonField(head, "info");
  const auto session = info ? FindJsonString(info->value, "id") : std::nullopt;
  const auto parent = info ? FindJsonString(info->value, "parentID") : std::nullopt;
  std::vector<RecordFile> files;
  files.push_back({&file, session.value_or(IdOfFile(file.name())), std::make_unique<OpencodeConverter>(), {}, kLists});
  files.back().parts.push_back(LayoutPart("document"));
  if (parent) files.back().parts.push_back({.name = "parent", .bytes = *parent});
  return std::make_unique<RecordSource>(kOpencode, std::move(files));
}

}  // namespace

constinit const Format kOpencodeFormat{
    .name = kOpencode,
    .description = "sessions of opencode: exported documents, its storage folder, or its database",
    .import = {.revision = 8,
               .match_file = MatchFile,
               .signs = kSigns,
               .read = Read,
               .record_files = DatabaseFiles,
               .moves_records = true,
               .is_companion = IsOpencodeCompanion,
               .find_unowned = FindUnownedOfOpencode,
               .companion_files = CompanionFiles,
               .may_shrink = true,
               .meaning_of_record = MeaningOfPart},
    .usage = ReadOpencodeUsage,
    .export_to_stream = ExportOpencodeDocument,
    .export_to_folder = ExportOpencode,
};

}  // namespace turnlog
