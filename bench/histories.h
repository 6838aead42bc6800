// Sessions that agents' tools could have written, in files.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <span>
#include <string>

namespace turnlog {

struct History {
  const char* format;
  void (*append)(std::mt19937& random, std::size_t number, std::string& out);
};
std::span<const History> Histories();

// Written once for all rows: 32 files of 8 MiB.
std::filesystem::path FolderOf(const History& history);
std::int64_t BytesOf(const History& history);

// A peer: only parses all bytes, on one thread.
void ParseWithSimdjson(benchmark::State& state, const History& history);

}  // namespace turnlog
