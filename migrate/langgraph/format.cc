#include "migrate/langgraph/format.h"

#include <array>
#include <utility>

#include "migrate/langgraph/converter.h"
#include "migrate/langgraph/threads.h"
#include "migrate/langgraph/usage.h"
#include "migrate/records/export_records.h"
#include "migrate/sqlite/row_reader.h"

namespace turnlog {
namespace {

constexpr std::array kSigns{kSqliteMagic};

Match MatchFile(const FileProbe& probe) {
  if (!probe.head.starts_with(kSqliteMagic)) return Match::kNo;
  const bool own = probe.head.contains("checkpoint_ns") && probe.head.contains("parent_checkpoint_id");
  return own ? Match::kByContent : Match::kByName;
}

std::vector<RecordFile> Threads(Source& source) { return LangGraphThreads(source).value_or(std::vector<RecordFile>()); }

std::unique_ptr<SourceReader> Read(Source& source) { return ReadRows(kLangGraph, source, LangGraphThreads(source)); }

}  // namespace

constinit const Format kLangGraphFormat{
    .name = kLangGraph,
    .description = "SQLite databases with checkpoints of LangGraph, in JSON or MessagePack",
    .import = {.revision = 6,
               .match_file = MatchFile,
               .signs = kSigns,
               .read = Read,
               .record_files = Threads,
               .restarts = Restarts::kNever,
               .moves_records = true,
               .companion_files = DatabaseCompanions,
               .may_shrink = true},
    .usage = ReadLangGraphUsage,
    .export_to_stream = ExportRecordsOf<kLangGraph>,
};

}  // namespace turnlog
