// Importing histories of agents into a new store, durable, beside what simdjson takes to parse the same bytes.
#include <malloc.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "bench/histories.h"
#include "bench/register.h"
#include "bench/stores.h"
#include "turnlog/migrate/import.h"
#include "turnlog/open_log.h"

namespace turnlog {
namespace {

void Import(benchmark::State& state, const History& history) {
  const std::filesystem::path source = FolderOf(history);
  for (auto _ : state) {
    state.PauseTiming();
    std::optional<Folder> folder(std::in_place);
    state.ResumeTiming();
    {
      const auto log = Must(OpenLog(folder->path()));
      const ImportReport report = Must(turnlog::Import(*log, history.format, std::span(&source, 1)));
      if (report.failed > 0 || report.added == 0) return state.SkipWithError("not imported");
      Must(log->Close());
    }
    state.PauseTiming();
    folder.reset();
    state.ResumeTiming();
  }
  state.SetBytesProcessed(state.iterations() * BytesOf(history));
}

}  // namespace

void RegisterBenchmarks() {
  // As the program that imports does (logctl/cmd_import.cc).
  (void)::mallopt(M_TRIM_THRESHOLD, 32 << 20);
  (void)::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  (void)::mallopt(M_ARENA_MAX, static_cast<int>(1 + std::max(1U, std::thread::hardware_concurrency())));
  for (const History& history : Histories()) {
    const std::string row = fmt::format("{} into a new store", history.format);
    RegisterRow(row, "turnlog", [=](benchmark::State& state) { Import(state, history); })
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime();
    RegisterRow(row, "simdjson", [=](benchmark::State& state) { ParseWithSimdjson(state, history); })
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime();
  }
}

}  // namespace turnlog
