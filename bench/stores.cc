#include "bench/stores.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>

#include "turnlog/event_json.h"

namespace turnlog {

Settings settings;

namespace {

std::uint64_t Scaled(std::uint64_t events) {
  const std::uint64_t step = kStoredConversations * kBlock;
  return std::max(events * settings.scale_percent / 100 / step, std::uint64_t{1}) * step;
}

// Creates a missing store under a temporary name first, so that an existing one is complete.
template <class MakeFn>
std::filesystem::path MadeOnce(const std::string& name, MakeFn make) {
  const std::filesystem::path path = settings.folder / fmt::format("{}-{}", name, settings.scale_percent);
  if (std::filesystem::exists(path)) return path;
  const std::filesystem::path unfinished = path.string() + ".tmp";
  std::filesystem::remove_all(unfinished);
  make(unfinished);
  std::filesystem::rename(unfinished, path);
  return path;
}

}  // namespace

std::uint64_t StoredEvents(Mix mix) { return Scaled(mix == Mix::kSmall ? 400'000 : 40'000); }

Folder::Folder() {
  static std::atomic<int> number = 0;
  path_ = settings.folder / fmt::format("run-{}-{}", ::getpid(), number++);
  std::filesystem::create_directory(path_);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void Fill(Engine& engine, Mix mix, std::uint64_t events, std::uint32_t conversations) {
  Script script(mix, 0, conversations);
  for (std::uint64_t i = 0; i < events; i += kBlock) {
    engine.Wait(engine.AppendLater(script.Take(kBlock)), Durability::kBuffered);
  }
}

std::filesystem::path StoredBy(const EngineKind& kind, Mix mix) {
  return MadeOnce(fmt::format("{}-{}", kind.name, ToString(mix)), [&](const std::filesystem::path& path) {
    std::filesystem::create_directory(path);
    const auto engine = kind.open(path, Durability::kBuffered);
    Fill(*engine, mix, StoredEvents(mix), kStoredConversations);
    engine->Settle();
  });
}

std::filesystem::path LeftBehindBy(const EngineKind& kind) {
  return MadeOnce(fmt::format("{}-killed", kind.name), [&](const std::filesystem::path& path) {
    const Folder folder;
    const auto engine = kind.open(folder.path(), Durability::kSync);
    Fill(*engine, Mix::kSmall, Scaled(160'000), kStoredConversations);
    Script last(Mix::kSmall, kStoredConversations, 1);
    engine->Wait(engine->AppendLater(last.Take(1)), Durability::kSync);
    CopyFolder(folder.path(), path);
  });
}

std::filesystem::path StoredLines(Mix mix) {
  return MadeOnce(fmt::format("{}.jsonl", ToString(mix)), [&](const std::filesystem::path& path) {
    std::ofstream out(path, std::ios::binary);
    Script script(mix, 0, kStoredConversations);
    std::string line;
    for (std::uint64_t i = 0; i < StoredEvents(mix); i += kBlock) {
      const Batch batch = script.Take(kBlock);
      for (std::size_t k = 0; k < batch.events.size(); ++k) {
        line.clear();
        AppendJson(batch.events[k], ConversationName(batch.conversation), {batch.first_seq + k}, line);
        out << line << '\n';
      }
    }
    if (!out.flush()) Fail("cannot write " + path.string());
  });
}

void CountStored(benchmark::State& state, Mix mix) {
  const double events = static_cast<double>(state.iterations()) * static_cast<double>(StoredEvents(mix));
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
  state.SetBytesProcessed(static_cast<std::int64_t>(events * Script(mix, 0, 1).json_bytes_per_event()));
}

void CountBytesOnDisk(benchmark::State& state, const EngineKind& kind, Mix mix) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(StoredBy(kind, mix))) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  state.counters["disk_bytes_per_event"] = static_cast<double>(bytes) / static_cast<double>(StoredEvents(mix));
}

void CopyFolder(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(to)) {
    if (!entry.is_regular_file()) continue;
    const int fd = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || ::fsync(fd) != 0) Fail("cannot sync " + entry.path().string());
    ::close(fd);
  }
}

}  // namespace turnlog
