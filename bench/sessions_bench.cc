// Examining sessions of agents' tools where they are, and exporting them again, beside what simdjson takes to parse the
// same bytes.
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "bench/histories.h"
#include "bench/register.h"
#include "bench/stores.h"
#include "turnlog/doctor/doctor.h"
#include "turnlog/migrate/export.h"
#include "turnlog/migrate/import.h"
#include "turnlog/open_log.h"

namespace turnlog {
namespace {

void Examine(benchmark::State& state, const History& history, bool secrets) {
  const std::array<std::filesystem::path, 1> paths{FolderOf(history)};
  for (auto _ : state) {
    const DoctorReport report = Must(ExamineSessions(paths, {.secrets = secrets}));
    if (report.sessions.empty() || !report.problems.empty()) return state.SkipWithError("not examined");
  }
  state.SetBytesProcessed(state.iterations() * BytesOf(history));
}

// All sessions, one after another.
void Export(benchmark::State& state, const History& history) {
  const std::filesystem::path source = FolderOf(history);
  const Folder folder;
  const auto log = Must(OpenLog(folder.path()));
  const ImportReport imported = Must(Import(*log, history.format, std::span(&source, 1)));
  if (imported.added == 0) return state.SkipWithError("not imported");
  const std::vector<ConversationInfo> conversations = Must(log->List({}, 100));
  for (auto _ : state) {
    std::uint64_t bytes = 0;
    for (const ConversationInfo& info : conversations) {
      const ConversationId conversation = Must(ConversationId::Parse(info.id));
      const auto count = [&](std::string_view piece) {
        bytes += piece.size();
        return Status();
      };
      const ExportReport report = Must(ExportToStream(*log, history.format, std::span(&conversation, 1), count));
      if (!report.failures.empty()) return state.SkipWithError("not exported");
    }
    if (bytes == 0) return state.SkipWithError("nothing exported");
  }
  state.SetBytesProcessed(state.iterations() * BytesOf(history));
  Must(log->Close());
}

}  // namespace

void RegisterBenchmarks() {
  for (const History& history : Histories()) {
    const auto add = [&](std::string_view what, std::string_view engine, auto run) {
      RegisterRow(fmt::format("{} {}", what, history.format), engine, run)
          ->Unit(benchmark::kMillisecond)
          ->MeasureProcessCPUTime();
    };
    add("doctor on", "turnlog", [=](benchmark::State& state) { Examine(state, history, false); });
    add("doctor on", "simdjson", [=](benchmark::State& state) { ParseWithSimdjson(state, history); });
    add("doctor with secrets on", "turnlog", [=](benchmark::State& state) { Examine(state, history, true); });
    add("doctor with secrets on", "simdjson", [=](benchmark::State& state) { ParseWithSimdjson(state, history); });
    if (history.format == std::string_view("jp")) continue;  // is exported to folders
    add("export of", "turnlog", [=](benchmark::State& state) { Export(state, history); });
    add("export of", "simdjson", [=](benchmark::State& state) { ParseWithSimdjson(state, history); });
  }
}

}  // namespace turnlog
