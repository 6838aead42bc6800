#include "doctor/session_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "base/file_system.h"
#include "base/try.h"
#include "migrate/records/json_object.h"
#include "migrate/records/probe_records.h"
#include "migrate/sqlite/database.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdLetters = 36;

// The id of a session by the name of its file: <id>.jsonl, rollout-<time>-<id>.jsonl[.zst]; empty: it is none.
std::string IdOf(const fs::path& path) {
  const std::string file = path.filename();
  std::string_view name = file;
  for (const std::string_view end : {".zst", ".jsonl"}) {
    if (name.ends_with(end)) name.remove_suffix(end.size());
  }
  if (name.size() > kIdLetters && !name.starts_with("rollout-")) return {};
  if (name.size() > kIdLetters) name.remove_prefix(name.size() - kIdLetters);
  return IsUuid(name) ? std::string(name) : std::string();
}

// An index: the files of its sessions, by their ids. Without a path the file has the id as its name.
struct SessionIndex {
  fs::path path;
  std::map<std::string, fs::path> sessions;
};

Result<SessionIndex> ReadClaudeIndex(const fs::path& path) {
  const std::string text = TURNLOG_TRY(ReadInput(path));
  const std::size_t end = text.find_last_of('}') + 1;
  const auto object = JsonObject::Parse(std::string_view(text).substr(0, end));
  if (!object) return std::unexpected(Error{ErrorCode::kInvalidArgument, fmt::format("{}: not JSON", path.string())});
  SessionIndex index{path, {}};
  for (const std::string_view element : ElementsOf((*object)["entries"])) {
    const JsonObject entry = JsonObject::Parse(element).value_or(JsonObject());
    const auto id = entry.String("sessionId");
    if (id) index.sessions.emplace(*id, path.parent_path() / (*id + ".jsonl"));
  }
  return index;
}

Result<SessionIndex> ReadCodexIndex(const fs::path& path) {
  Source source{path, path.filename(), {}, {}};
  source.files.emplace_back(path, false);
  const fs::path log = path.string() + "-wal";
  if (TURNLOG_TRY(Exists(PosixFileSystem(), log))) source.files.emplace_back(log, false);
  const auto database = TURNLOG_TRY(Database::Open(source));
  SessionIndex index{path, {}};
  if (!database->HasTable("threads", {"id", "rollout_path"})) return index;
  Statement rows = TURNLOG_TRY(database->Prepare("SELECT id, rollout_path FROM threads"));
  while (TURNLOG_TRY(rows.Step())) index.sessions.emplace(std::string(rows.Text(0)), fs::path(rows.Text(1)));
  return index;
}

// The state_<number>.sqlite with the highest number in one of the folders around a session.
std::optional<fs::path> FindCodexIndex(fs::path folder) {
  constexpr int kFolders = 5;  // sessions/2026/08/01 in the folder of Codex
  constexpr std::string_view kPrefix = "state_", kSuffix = ".sqlite";
  for (int i = 0; i < kFolders; ++i, folder = folder.parent_path()) {
    std::optional<std::pair<unsigned, fs::path>> newest;
    for (const std::string& name : PosixFileSystem().List(folder).value_or(std::vector<std::string>())) {
      if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
      unsigned number = 0;
      (void)std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
      if (!newest || newest->first < number) newest.emplace(number, folder / name);
    }
    if (newest) return newest->second;
  }
  return std::nullopt;
}

std::optional<fs::path> IndexOf(const FoundSource& source) {
  std::error_code ignored;
  const fs::path folder = fs::absolute(source.path, ignored).parent_path();
  if (source.format->name == "codex") return FindCodexIndex(folder);
  if (source.format->name != "claude-code") return std::nullopt;
  const fs::path index = folder / "sessions-index.json";
  return fs::exists(index, ignored) ? std::optional(index) : std::nullopt;
}

void Compare(const SessionIndex& index, const std::map<std::string, fs::path>& files, DoctorReport& report) {
  for (const auto& [id, file] : files) {
    if (!index.sessions.contains(id)) report.indexes.push_back({"index-missing-entry", index.path, id, file});
  }
  std::error_code ignored;
  for (const auto& [id, file] : index.sessions) {
    const bool is_there =
        files.contains(id) || fs::exists(file, ignored) || fs::exists(file.string() + ".zst", ignored);
    if (!is_there) report.indexes.push_back({"index-missing-file", index.path, id, file});
  }
}

}  // namespace

void CompareIndexes(std::span<const FoundSource> sources, DoctorReport& report) {
  std::map<fs::path, std::map<std::string, fs::path>> files;
  for (const FoundSource& source : sources) {
    const std::string id = IdOf(source.path);
    const auto index = id.empty() ? std::nullopt : IndexOf(source);
    if (index) files[*index].emplace(id, source.path);
  }
  for (const auto& [path, sessions] : files) {
    const auto index = path.extension() == ".json" ? ReadClaudeIndex(path) : ReadCodexIndex(path);
    if (!index) {
      report.notes.push_back(fmt::format("{}: not compared: {}", path.string(), index.error().message));
    } else {
      Compare(*index, sessions, report);
    }
  }
}

}  // namespace turnlog
