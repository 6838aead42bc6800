#include "migrate/codex/format.h"

#include <array>

#include "migrate/codex/converter.h"
#include "migrate/codex/session.h"
#include "migrate/codex/usage.h"
#include "migrate/sessions/export_session.h"

namespace turnlog {
namespace {

constexpr std::array<std::string_view, 6> kSigns{R"("payload")", R"("session")",      R"("role")",
                                                 R"("call_id")", R"("instructions")", R"("record_type")"};

Match MatchFile(const FileProbe& probe) {
  if (probe.name.ends_with(".json")) return IsCodexDocument(probe.head) ? Match::kByContent : Match::kNo;
  if (!probe.name.ends_with(".jsonl") && !probe.name.ends_with(".jsonl.zst")) return Match::kNo;
  return HoldsCodexRecords(probe.head) ? Match::kByContent : Match::kByName;
}

std::unique_ptr<SourceReader> Read(Source& source) {
  return std::make_unique<RecordSource>(kCodex, CodexFiles(source));
}

}  // namespace

constinit const Format kCodexFormat{
    .name = kCodex,
    .description = "sessions of Codex: rollout files, plain or compressed, or all of ~/.codex/sessions",
    .import = {.revision = 6,
               .match_file = MatchFile,
               .signs = kSigns,
               .read = Read,
               .record_files = CodexFiles,
               .conversations_of = CodexConversations,
               .origin_of = CodexOrigin,
               .age_of = CodexAge,
               .may_shrink = true},
    .usage = ReadCodexUsage,
    .export_to_stream = ExportSessionOf<SessionTool::kCodexCli>,
};

}  // namespace turnlog
