// What a benchmark program defines besides main: rows, each with several engines. Names are "<row>/<engine>".
#pragma once

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "bench/engine.h"

namespace turnlog {

// Defined by each program.
void RegisterBenchmarks();

template <class RunFn>
benchmark::internal::Benchmark* RegisterRow(std::string_view row, std::string_view engine, RunFn run) {
  return benchmark::RegisterBenchmark(fmt::format("{}/{}", row, engine).c_str(), std::move(run))->UseRealTime();
}

// Stops the row unless it read the expected number of events.
inline bool SawAll(benchmark::State& state, const Seen& seen, std::uint64_t events) {
  benchmark::DoNotOptimize(seen.check);
  if (seen.events == events) return true;
  state.SkipWithError(fmt::format("{} events read, expected {}", seen.events, events).c_str());
  return false;
}

}  // namespace turnlog
