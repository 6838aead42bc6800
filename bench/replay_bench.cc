// Large reads: a whole store in log order, and one conversation after another.
#include "bench/register.h"
#include "bench/stores.h"

namespace turnlog {
namespace {

void ReadAll(benchmark::State& state, const EngineKind& kind, Mix mix, Depth depth) {
  CountBytesOnDisk(state, kind, mix);  // before a writer allocates more
  const auto engine = kind.open(StoredBy(kind, mix), Durability::kBuffered);
  for (auto _ : state) {
    if (!SawAll(state, engine->ReadAll(depth), StoredEvents(mix))) break;
  }
  CountStored(state, mix);
}

void ReadConversations(benchmark::State& state, const EngineKind& kind, Mix mix) {
  const auto engine = kind.open(StoredBy(kind, mix), Durability::kBuffered);
  for (auto _ : state) {
    Seen all;
    for (std::uint32_t i = 0; i < kStoredConversations; ++i) {
      const Seen seen = engine->ReadConversation(i);
      all.events += seen.events;
      all.check += seen.check;
    }
    if (!SawAll(state, all, StoredEvents(mix))) break;
  }
  CountStored(state, mix);
}

}  // namespace

void RegisterBenchmarks() {
  for (const Mix mix : {Mix::kSmall, Mix::kMixed}) {
    const auto add = [&](std::string_view row, const EngineKind* kind, auto run) {
      RegisterRow(fmt::format("{}, {}", row, ToString(mix)), kind->name, run)->Unit(benchmark::kMillisecond);
    };
    for (const EngineKind* kind :
         {&kTurnlog, &kTurnlogFast, &kTurnlogSmall, &kRawFile, &kRocks, &kLevelDb, &kLmdb, &kSqlite}) {
      add("whole store, records", kind, [=](benchmark::State& state) { ReadAll(state, *kind, mix, Depth::kRecord); });
    }
    for (const EngineKind* kind :
         {&kTurnlog, &kTurnlogFast, &kTurnlogSmall, &kJsonLines, &kRocks, &kLevelDb, &kLmdb, &kSqlite}) {
      add("whole store, kind and time of each event", kind,
          [=](benchmark::State& state) { ReadAll(state, *kind, mix, Depth::kFields); });
    }
    for (const EngineKind* kind :
         {&kTurnlog, &kTurnlogFast, &kTurnlogSmall, &kServed, &kRocks, &kLevelDb, &kLmdb, &kSqlite}) {
      add("conversation by conversation, records", kind,
          [=](benchmark::State& state) { ReadConversations(state, *kind, mix); });
    }
  }
}

}  // namespace turnlog
