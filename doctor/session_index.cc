#include "doctor/session_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "base/file_system.h"
#include "base/try.h"
#include "doctor/mend_index.h"
#include "doctor/real_path.h"
#include "doctor/tool_home.h"
#include "migrate/records/json_object.h"
#include "migrate/records/probe_records.h"
#include "migrate/sqlite/database.h"
#include "schema/json/json_fields.h"
#include "turnlog/migrate/resume.h"

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

// Names that the user has given to sessions of Codex: not every session has one.
Result<SessionIndex> ReadCodexNames(const fs::path& path) {
  const std::string text = TURNLOG_TRY(ReadInput(path));
  SessionIndex index{path, {}, false};
  AnyRecord(text, [&](const JsonObject& entry) {
    if (const auto id = entry.String("id")) index.sessions.emplace(*id, fs::path());
    return false;
  });
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

// The state_<number>.sqlite with the highest number in the folder of Codex, if it has the session: Codex does not own
// copies elsewhere. `folder`: of the session.
std::optional<fs::path> FindCodexIndex(const fs::path& folder) {
  constexpr std::string_view kPrefix = "state_", kSuffix = ".sqlite";
  const fs::path sessions = FindSessionsFolder("codex", folder), home = sessions.parent_path();
  if (sessions.empty()) return std::nullopt;
  std::optional<std::pair<unsigned, fs::path>> newest;
  for (const std::string& name : PosixFileSystem().List(home).value_or(std::vector<std::string>())) {
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    unsigned number = 0;
    (void)std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
    if (!newest || newest->first < number) newest.emplace(number, home / name);
  }
  return newest ? std::optional(newest->second) : std::nullopt;
}

std::optional<fs::path> IndexOf(const FoundSource& source) {
  std::error_code ignored;
  const fs::path folder = NormalPath(fs::absolute(source.path, ignored)).parent_path();
  if (source.format->name == "codex") return FindCodexIndex(folder);
  if (source.format->name != "claude-code") return std::nullopt;
  const fs::path index = folder / "sessions-index.json";
  return fs::exists(index, ignored) ? std::optional(index) : std::nullopt;
}

// Below sessions/ and archived_sessions/, wherever `file` is.
bool ExistsElsewhere(const fs::path& index, const std::string& id) {
  std::error_code ignored;
  for (const char* folder : {"sessions", "archived_sessions"}) {
    fs::recursive_directory_iterator each(index.parent_path() / folder, ignored), end;
    for (; !ignored && each != end; each.increment(ignored)) {
      if (IdOf(each->path()) == id) return true;
    }
  }
  return false;
}

void Compare(const SessionIndex& index, const SessionFiles& files, std::vector<IndexFinding>& found) {
  for (const auto& [id, file] : files) {
    if (index.is_complete && !index.sessions.contains(id)) {
      found.push_back({"index-missing-entry", index.path, id, file});
    }
  }
  std::error_code ignored;
  for (const auto& [id, file] : index.sessions) {
    const auto known = files.find(id);
    if (fs::exists(file, ignored) || fs::exists(file.string() + ".zst", ignored)) continue;
    if (known != files.end() && file.is_absolute()) {
      found.push_back({"index-moved-file", index.path, id, known->second});
    } else if (known == files.end() && (!file.empty() || !ExistsElsewhere(index.path, id))) {
      found.push_back({"index-missing-file", index.path, id, file});
    }
  }
}

Result<SessionIndex> ReadIndex(const fs::path& path) {
  if (path.extension() == ".json") return ReadClaudeIndex(path);
  return path.extension() == ".jsonl" ? ReadCodexNames(path) : ReadCodexIndex(path);
}

// Sessions of Claude Code in a folder that is not named after where they were begun.
void CheckProjectFolder(const FoundSource& source, DoctorReport& report) {
  std::error_code ignored;
  const fs::path path = NormalPath(fs::absolute(source.path, ignored)), folder = path.parent_path();
  const std::string id = IdOf(path);
  if (source.format->name != "claude-code" || id.empty() || folder.parent_path().filename() != "projects") return;
  const std::string head = SourceFile(path, false).Head(kProbeBytes).value_or(std::string());
  std::string cwd;
  AnyRecord(head, [&](const JsonObject& record) {
    cwd = record.String("cwd").value_or("");
    return !cwd.empty();
  });
  if (cwd.empty() || folder.filename() == ClaudeProjectName(cwd)) return;
  report.indexes.push_back(
      {"project-folder", folder, id, folder.parent_path() / ClaudeProjectName(cwd) / path.filename()});
}

// The folders of messages in the storage of opencode that no session has.
void CheckOpencodeStorage(const fs::path& storage, const std::set<std::string>& sessions, DoctorReport& report) {
  for (const std::string& name : PosixFileSystem().List(storage / "message").value_or(std::vector<std::string>())) {
    std::error_code ignored;
    const fs::path folder = storage / "message" / name;
    if (!fs::is_directory(folder, ignored) || sessions.contains(name)) continue;
    report.indexes.push_back({"index-missing-entry", storage / "session", name, folder});
  }
}

void CheckOpencodeStorages(std::span<const FoundSource> sources, DoctorReport& report) {
  std::map<fs::path, std::set<std::string>> storages;
  for (const FoundSource& source : sources) {
    std::error_code ignored;
    const fs::path folder = NormalPath(fs::absolute(source.path, ignored)).parent_path().parent_path();
    if (source.format->name != "opencode" || folder.filename() != "session") continue;
    std::set<std::string>& sessions = storages[folder.parent_path()];
    sessions.insert(source.path.stem());
    const std::string head = SourceFile(source.path, false).Head(kProbeBytes).value_or(std::string());
    if (const auto id = FindJsonString(head, "id")) sessions.insert(*id);
  }
  // Other projects of the same storage may not have been named.
  for (auto& [storage, sessions] : storages) {
    std::error_code ignored;
    fs::recursive_directory_iterator each(storage / "session", ignored), end;
    for (; !ignored && each != end; each.increment(ignored)) sessions.insert(each->path().stem());
    CheckOpencodeStorage(storage, sessions, report);
  }
}

}  // namespace

void CompareIndexes(std::span<const FoundSource> sources, const DoctorOptions& options, DoctorReport& report) {
  std::map<fs::path, SessionFiles> files;
  std::error_code ignored;
  for (const FoundSource& source : sources) {
    CheckProjectFolder(source, report);
    const std::string id = IdOf(source.path);
    const auto index = id.empty() ? std::nullopt : IndexOf(source);
    if (!index) continue;
    const fs::path path = NormalPath(fs::absolute(source.path, ignored));
    files[*index].emplace(id, path);
    const fs::path names = index->parent_path() / "session_index.jsonl";
    if (source.format->name == "codex" && fs::exists(names, ignored)) files[names].emplace(id, path);
  }
  CheckOpencodeStorages(sources, report);
  for (const auto& [path, sessions] : files) {
    const auto index = ReadIndex(path);
    std::vector<IndexFinding> found;
    if (index) Compare(*index, sessions, found);
    Status done = index ? Status() : std::unexpected(index.error());
    if (index && options.action == DoctorAction::kReplace) done = MendIndex(*index, options, found);
    if (!done)
      report.notes.push_back(
          fmt::format("{}: not {}: {}", path.string(), index ? "mended" : "compared", done.error().message));
    std::ranges::move(found, std::back_inserter(report.indexes));
  }
}

}  // namespace turnlog
