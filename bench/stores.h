// Folders for the stores that are measured, and stores that are made once for all rows that read them.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <memory>

#include "bench/engine.h"

namespace turnlog {

// From the command line.
struct Settings {
  std::filesystem::path folder;       // for everything; on the file system that is to be measured
  std::uint64_t scale_percent = 100;  // of the events in stores that are read
};
extern Settings settings;  // NOLINT(misc-definitions-in-headers): set by main before any benchmark runs

inline constexpr std::uint32_t kStoredConversations = 100;
// Events in a store that is read; each conversation has the same number.
std::uint64_t StoredEvents(Mix mix);

// A folder that goes with its owner.
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

// A store with StoredEvents(mix) in kStoredConversations, in good order and closed. Made by the first who asks, kept in
// the settings' folder for programs to come.
std::filesystem::path StoredBy(const EngineKind& kind, Mix mix);
// The same as a process leaves it that was killed with everything synced, but nothing put in order.
std::filesystem::path LeftBehindBy(const EngineKind& kind);
// The same as one file of JSON lines with conversation and seq.
std::filesystem::path StoredLines(Mix mix);

// The rate at which a row goes through a whole store.
void CountStored(benchmark::State& state, Mix mix);

// The copy is on disk when it returns.
void CopyFolder(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace turnlog
