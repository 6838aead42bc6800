// Opening: a store that was closed, one whose writer was killed, and rebuilding the index.
#include <chrono>
#include <optional>

#include "bench/register.h"
#include "bench/stores.h"
#include "turnlog/maintenance.h"
#include "turnlog/open_log.h"

namespace turnlog {
namespace {

enum class Copies : std::uint8_t { kOne, kFreshEachTime };

// Runs `open` on a copy of `store`; only that is timed, not the close.
template <class OpenFn>
void OpenCopies(benchmark::State& state, Copies copies, const std::filesystem::path& store, OpenFn open) {
  using Clock = std::chrono::steady_clock;
  std::optional<Folder> folder;
  for (auto _ : state) {
    if (!folder || copies == Copies::kFreshEachTime) CopyFolder(store, folder.emplace().path() / "store");
    const auto start = Clock::now();
    [[maybe_unused]] const auto opened = open(folder->path() / "store");
    state.SetIterationTime(std::chrono::duration<double>(Clock::now() - start).count());
  }
}

template <class RunFn>
void AddRow(std::string_view row, const EngineKind& kind, int iterations, RunFn run) {
  // The timed part is a small part of the work, so the number of runs is fixed.
  benchmark::RegisterBenchmark(fmt::format("{}/{}", row, kind.name).c_str(), run)
      ->UseManualTime()
      ->Iterations(iterations)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

void RegisterBenchmarks() {
  for (const EngineKind* kind : {&kTurnlog, &kRocks, &kLevelDb, &kLmdb, &kSqlite}) {
    const auto open = [kind](const std::filesystem::path& copy) { return kind->open(copy, Durability::kSync); };
    AddRow("closed cleanly", *kind, 10,
           [=](benchmark::State& state) { OpenCopies(state, Copies::kOne, StoredBy(*kind, Mix::kSmall), open); });
    AddRow("writer killed", *kind, 2,
           [=](benchmark::State& state) { OpenCopies(state, Copies::kFreshEachTime, LeftBehindBy(*kind), open); });
  }
  AddRow("closed cleanly, for reading", kTurnlog, 10, [](benchmark::State& state) {
    OpenCopies(state, Copies::kOne, StoredBy(kTurnlog, Mix::kSmall),
               [](const std::filesystem::path& copy) { return Must(OpenLog(copy, {.mode = OpenMode::kRead})); });
  });
  for (const Mix mix : {Mix::kSmall, Mix::kMixed}) {
    AddRow(fmt::format("index rebuild, {}", ToString(mix)), kTurnlog, 2, [mix](benchmark::State& state) {
      OpenCopies(state, Copies::kOne, StoredBy(kTurnlog, mix), [](const std::filesystem::path& copy) {
        Must(ReindexStore(copy));
        return 0;
      });
      CountStored(state, mix);
    });
  }
}

}  // namespace turnlog
