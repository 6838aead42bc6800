// Folders for the measured stores, and stores that are created once for all rows that read them.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <memory>

#include "bench/engine.h"

namespace turnlog {

// From the command line.
struct Settings {
  std::filesystem::path folder;       // for all stores; on the file system to measure
  std::uint64_t scale_percent = 100;  // of the events in stores for reads
};
extern Settings settings;  // NOLINT(misc-definitions-in-headers): set by main before any benchmark runs

inline constexpr std::uint32_t kStoredConversations = 100;
// Number of events in a store for reads; each conversation has the same number.
std::uint64_t StoredEvents(Mix mix);

// A folder that is removed with its owner.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Appends `events` of one writer, 20 at a time.
void Fill(Engine& engine, Mix mix, std::uint64_t events, std::uint32_t conversations);

// A closed store with StoredEvents(mix) in kStoredConversations. Created by the first call and kept in the settings'
// folder for other programs.
std::filesystem::path StoredBy(const EngineKind& kind, Mix mix);
// The same store after a kill of its writer: everything is synced, but nothing checkpointed.
std::filesystem::path LeftBehindBy(const EngineKind& kind);
// The same as one file of JSON lines with conversation and seq.
std::filesystem::path StoredLines(Mix mix);

// Reports the rate of a row that reads a whole store.
void CountStored(benchmark::State& state, Mix mix);
// Adds the size of the store of StoredBy: bytes for each event, indexes included.
void CountBytesOnDisk(benchmark::State& state, const EngineKind& kind, Mix mix);

// The copy is on disk when it returns.
void CopyFolder(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace turnlog
