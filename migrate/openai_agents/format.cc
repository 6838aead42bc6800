#include "migrate/openai_agents/format.h"

#include <array>
#include <utility>

#include "migrate/openai_agents/row_converter.h"
#include "migrate/openai_agents/run_state.h"
#include "migrate/openai_agents/sessions.h"
#include "migrate/openai_agents/usage.h"
#include "migrate/records/export_records.h"
#include "migrate/records/probe_records.h"
#include "migrate/sqlite/row_reader.h"

namespace turnlog {
namespace {

constexpr std::array<std::string_view, 9> kSigns{R"("$schemaVersion")", R"("current_turn")",    R"("currentTurn")",
                                                 R"("original_input")", R"("originalInput")",   R"("generated_items")",
                                                 R"("generatedItems")", R"("model_responses")", R"("modelResponses")"};

bool IsDocument(std::string_view name) { return name.ends_with(".json"); }

Match MatchFile(const FileProbe& probe) {
  if (IsDocument(probe.name)) return IsRunState(probe.head) ? Match::kByContent : Match::kByName;
  if (!probe.head.starts_with(kSqliteMagic)) return Match::kNo;
  // The names of columns: tables of other products have the same names.
  return probe.head.contains("message_data") && probe.head.contains("session_id") ? Match::kByContent : Match::kByName;
}

bool IsOneRecord(const Source& source) { return IsDocument(source.files.front().name()); }

std::vector<RecordFile> DatabaseFiles(Source& source) {
  if (IsOneRecord(source)) return {};
  return AgentsSessions(source).value_or(std::vector<RecordFile>());
}

std::unique_ptr<SourceReader> Read(Source& source) {
  SourceFile& file = source.files.front();
  if (!IsDocument(file.name())) return ReadRows(kOpenAiAgents, source, AgentsSessions(source));
  std::vector<RecordFile> files;
  files.push_back({&file, IdOfFile(file.name()), std::make_unique<RunStateConverter>(), {}});
  files.back().is_record = true;
  return std::make_unique<RecordSource>(kOpenAiAgents, std::move(files));
}

}  // namespace

constinit const Format kOpenAiAgentsFormat{
    .name = kOpenAiAgents,
    .description = "SQLite databases with sessions of the OpenAI Agents SDK, and its RunState documents",
    .import = {.revision = 11,
               .match_file = MatchFile,
               .signs = kSigns,
               .read = Read,
               .record_files = DatabaseFiles,
               .is_one_record = IsOneRecord,
               .restarts = Restarts::kInSameFile,
               .numbers_records = true,
               .companion_files = DatabaseCompanions,
               .may_shrink = true,
               .is_saved_again = DifferOnlyInStructure,
               .meaning_of_record = MeaningOfRow},
    .usage = ReadAgentsUsage,
    .export_to_stream = ExportRecordsOf<kOpenAiAgents>,
};

}  // namespace turnlog
