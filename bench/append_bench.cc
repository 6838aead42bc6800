// Appending: one writer and sixteen; waiting for each event, for the last of 64, or not for the disk.
#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "bench/register.h"
#include "bench/stores.h"

namespace turnlog {
namespace {

struct Row {
  std::string_view name;
  Mix mix;
  int writers;
  std::size_t batch;   // events per append
  std::size_t window;  // appends per wait
  Durability durability;
};

constexpr Durability kSync = Durability::kSync, kBuffered = Durability::kBuffered;
constexpr std::array kRows{
    Row{"sync, 1 writer, each waited for, small", Mix::kSmall, 1, 1, 1, kSync},
    Row{"sync, 1 writer, 64 in flight, small", Mix::kSmall, 1, 1, 64, kSync},
    Row{"sync, 16 writers, each waited for, small", Mix::kSmall, 16, 1, 1, kSync},
    Row{"sync, 16 writers, 64 in flight, small", Mix::kSmall, 16, 1, 64, kSync},
    Row{"sync, 1 writer, each waited for, mix", Mix::kMixed, 1, 1, 1, kSync},
    Row{"sync, 1 writer, 64 in flight, mix", Mix::kMixed, 1, 1, 64, kSync},
    Row{"sync, 16 writers, each waited for, mix", Mix::kMixed, 16, 1, 1, kSync},
    Row{"buffered, one by one, small", Mix::kSmall, 1, 1, 1, kBuffered},
    Row{"buffered, 1000 in flight, small", Mix::kSmall, 1, 1, 1000, kBuffered},
    Row{"buffered, batches of 100, small", Mix::kSmall, 1, 100, 1, kBuffered},
};

// Appends of SQLite and of a service cannot be waited for later. A preallocated file is the limit of durable appends
// only. A service has as many clients as writers anyway if there is one.
bool Takes(const EngineKind& kind, const Row& row) {
  if (&kind == &kServed) return row.window == 1;
  if (&kind == &kServedApart) return row.window == 1 && row.writers > 1;
  return (&kind != &kSqlite || row.window == 1) && (&kind != &kPreallocatedFile || row.durability == kSync);
}

class Latencies {
 public:
  using Clock = std::chrono::steady_clock;

  void Add(Clock::time_point start) { nanos_.push_back((Clock::now() - start).count()); }

  void Report(benchmark::State& state) {
    if (nanos_.empty()) return;
    for (const auto& [name, part] : {std::pair("p50_us", 0.5), std::pair("p99_us", 0.99)}) {
      const auto rank = nanos_.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(nanos_.size() - 1));
      std::ranges::nth_element(nanos_, rank);
      state.counters[name] = {static_cast<double>(*rank) / 1000, benchmark::Counter::kAvgThreads};
    }
  }

 private:
  std::vector<Clock::rep> nanos_;
};

// One engine and its folder, which the threads of a run share.
struct Store {
  explicit Store(const EngineKind& kind, Durability durability) : engine(kind.open(folder.path(), durability)) {}

  Folder folder;
  std::unique_ptr<Engine> engine;
};

// `store` is created and destroyed by the first thread; other threads use it only inside the loop.
void Append(benchmark::State& state, const Row& row, const EngineKind& kind, std::optional<Store>& store) {
  if (state.thread_index() == 0) store.emplace(kind, row.durability);
  const bool timed = row.durability == kSync && row.window == 1;
  Script script(row.mix, static_cast<std::uint32_t>(state.thread_index()), row.writers == 1 ? kStoredConversations : 1);
  Latencies latencies;
  std::size_t since_wait = 0;
  for (auto _ : state) {
    const auto start = timed ? Latencies::Clock::now() : Latencies::Clock::time_point();
    const std::uint64_t ticket = store->engine->AppendLater(script.Take(row.batch));
    if (++since_wait == row.window) {
      store->engine->Wait(ticket, row.durability);
      since_wait = 0;
    }
    if (timed) latencies.Add(start);
  }
  latencies.Report(state);
  const double events = static_cast<double>(state.iterations()) * static_cast<double>(row.batch);
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
  state.SetBytesProcessed(static_cast<std::int64_t>(events * script.json_bytes_per_event()));
  if (state.thread_index() == 0) store.reset();
}

// Appends the events of a whole store in batches of 20, until all of them are durable and indexed.
void Bulk(benchmark::State& state, Mix mix, const EngineKind& kind) {
  for (auto _ : state) {
    state.PauseTiming();
    std::optional<Store> store(std::in_place, kind, kBuffered);
    state.ResumeTiming();
    Fill(*store->engine, mix, StoredEvents(mix), kStoredConversations);
    store->engine->Settle();
    state.PauseTiming();
    store.reset();
    state.ResumeTiming();
  }
  CountStored(state, mix);
}

}  // namespace

void RegisterBenchmarks() {
  for (const Row& row : kRows) {
    for (const EngineKind* kind : {&kTurnlog, &kTurnlogFast, &kTurnlogSmall, &kServed, &kServedApart,
                                   &kPreallocatedFile, &kRawFile, &kJsonLines, &kRocks, &kLevelDb, &kLmdb, &kSqlite}) {
      if (!Takes(*kind, row)) continue;
      auto store = std::make_shared<std::optional<Store>>();
      RegisterRow(row.name, kind->name, [&row, kind, store](benchmark::State& state) {
        Append(state, row, *kind, *store);
      })->Threads(row.writers);
    }
  }
  for (const Mix mix : {Mix::kSmall, Mix::kMixed}) {
    for (const EngineKind* kind :
         {&kTurnlog, &kTurnlogFast, &kTurnlogSmall, &kRawFile, &kJsonLines, &kRocks, &kLevelDb, &kLmdb, &kSqlite}) {
      RegisterRow(fmt::format("bulk, batches of 20, until all are durable, {}", ToString(mix)), kind->name,
                  [mix, kind](benchmark::State& state) { Bulk(state, mix, *kind); })
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace turnlog
