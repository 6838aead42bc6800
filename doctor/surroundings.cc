#include "doctor/surroundings.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file_system.h"
#include "base/try.h"
#include "base/utf8.h"
#include "doctor/late_bytes.h"
#include "doctor/real_path.h"
#include "doctor/replace_file.h"
#include "doctor/tool_home.h"
#include "migrate/records/probe_records.h"
#include "migrate/sources/source.h"
#include "migrate/sqlite/database.h"
#include "sanitize/redaction/redacted_text.h"
#include "turnlog/redaction/secret_scan.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// The parts of sessions, which are examined.
constexpr std::array<std::string_view, 9> kSessionParts{"subagents",     "chats",         "session",
                                                        "message",       "part",          "events.json",
                                                        "messages.json", "metadata.json", "base_config.json"};
// What is only kept for people to read or to type again.
constexpr std::array<std::string_view, 16> kForPeople{"history.jsonl", "paste-cache",
                                                      "tool-results",  "tool-output",
                                                      "tool-outputs",  "tool_output",
                                                      "todos",         "todo",
                                                      "debug",         "log",
                                                      "logs",          "logs.json",
                                                      "shell_history", "sessions-index.json",
                                                      "session_diff",  "prompt-history.jsonl"};

template <std::size_t N>
bool IsAmong(const std::array<std::string_view, N>& names, const fs::path& path) {
  return std::ranges::find(names, path.filename().string()) != names.end();
}

Names NamesIn(const fs::path& folder) { return PosixFileSystem().List(folder).value_or(Names()); }

bool IsFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored));
}

bool IsRegular(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(path, ignored));
}

bool IsSessionFile(const fs::path& path) {
  const std::string name = path.filename();
  return name.ends_with(".jsonl") || name.ends_with(".zst") || name.starts_with("session-");
}

// What is in a folder beside sessions; of the folder of one session, what is in it.
void AddBeside(const fs::path& folder, bool is_tools, SearchedPaths& found) {
  for (const std::string& name : NamesIn(folder)) {
    const fs::path path = folder / name;
    if (IsAmong(kSessionParts, path)) continue;
    const bool of_session = IsUuid(name) || Exists(PosixFileSystem(), folder / (name + ".jsonl")).value_or(false);
    if (IsFolder(path) && of_session) {
      AddBeside(path, is_tools, found);
    } else if (IsFolder(path) || !IsSessionFile(path) || IsAmong(kForPeople, path)) {
      found.emplace(path, is_tools);
    }
  }
}

// The folders in a tool's home that have its sessions, or folders with them.
bool HasSessions(std::string_view format, std::string_view name) {
  if (format == "codex") return name == "sessions" || name == "archived_sessions";
  return name == (format == "claude-code" ? "projects" : format == "gemini" ? "tmp" : "storage");
}

class FoundSurroundings {
 public:
  explicit FoundSurroundings(const NamesByFolder& examined) : copies_(FindEarlierCopies(examined)) {
    for (const auto& [folder, names] : examined) {
      std::error_code error;
      const fs::path real = fs::canonical(folder, error);
      examined_[error ? folder : real].insert(names.begin(), names.end());
    }
  }

  // What is around the session. Beyond its folder, only in a folder that certainly is the tool's.
  void Add(const FoundSource& source) {
    std::error_code error;
    const std::string_view format = source.format->name;
    const fs::path path = fs::canonical(source.path, error);
    if (!error && format == "jp") AddBeside(path, false, found_);
    const fs::path folder = fs::canonical(fs::absolute(source.path, error).parent_path(), error);
    const fs::path index = folder / "sessions-index.json";
    std::error_code ignored;
    if (format == "claude-code" && fs::exists(index, ignored)) {
      found_.emplace(index, IsToolHome(format, FindSessionsFolder(format, folder).parent_path()));
    }
    const fs::path sessions = error || format == "jp" ? fs::path() : FindSessionsFolder(format, folder);
    if (sessions.empty()) return;
    if (IsToolHome(format, sessions.parent_path())) return AddHome(format, sessions.parent_path());
    if (format != "opencode") AddBeside(folder, false, found_);
  }

  // All that a tool has, whether there still are sessions or not.
  void AddHome(std::string_view format, const fs::path& home) {
    if (!homes_.insert(home).second) return;
    for (const std::string& name : NamesIn(home)) {
      const fs::path path = home / name;
      if (!HasSessions(format, name)) {
        found_.emplace(path, true);
        continue;
      }
      if (format == "opencode") AddBeside(path, true, found_);
      if (format != "opencode" && format != "codex") {
        for (const std::string& project : NamesIn(path)) AddProject(path / project);
      }
      AddUnexamined(path);
    }
    for (const fs::path& path : OutsideToolHome(format, home)) {
      if (!IsFolder(path)) found_.emplace(path, true);
      for (const std::string& name : IsFolder(path) ? NamesIn(path) : Names()) found_.emplace(path / name, true);
    }
  }

  // That of opencode is in its folder.
  void AddDatabase(const FoundSource& source) {
    SourceFile file(source.path, false);
    if (source.is_folder || file.Head(kSqliteMagic.size()).value_or(std::string()) != kSqliteMagic) return;
    std::error_code ignored;
    const fs::path database = NormalPath(fs::absolute(source.path, ignored));
    for (const char* more : {"", "-wal", "-journal"}) {
      const fs::path path = database.string() + more;
      if (fs::exists(path, ignored)) found_.emplace(path, false);
    }
    const fs::path folder = fs::canonical(database.parent_path(), ignored);
    if (source.format->name == "opencode" && IsToolHome("opencode", folder)) AddHome("opencode", folder);
  }

  SearchedPaths Take() { return std::move(found_); }

 private:
  // Damaged sessions, for example. What was made of examined files is searched with them.
  void AddUnexamined(const fs::path& folder) {
    const auto names = examined_.find(folder);
    for (const std::string& name : NamesIn(folder)) {
      const fs::path path = folder / name;
      if (found_.contains(path)) continue;
      if (IsFolder(path)) {
        AddUnexamined(path);
        continue;
      }
      const bool is_examined = names != examined_.end() && names->second.contains(name);
      if (!is_examined && !copies_.contains(path) && IsRegular(path)) found_.emplace(path, true);
    }
  }

  // One folder of many that have sessions.
  void AddProject(const fs::path& path) {
    if (IsFolder(path)) {
      AddBeside(path, true, found_);
    } else {
      found_.emplace(path, true);
    }
  }

  NamesByFolder examined_;  // by the real paths of folders
  const std::set<fs::path> copies_;
  SearchedPaths found_;
  std::set<fs::path> homes_;
};

class Search {
 public:
  Search(const SessionSecrets& secrets, KnownSecrets& known, const DoctorOptions& options)
      : secrets_(secrets), known_(known), options_(options) {}

  Result<SurroundingReport> Run(const fs::path& path, bool is_tools) {
    if (is_tools && options_.action == DoctorAction::kReplace) TURNLOG_TRY(FinishKilledRun(path));
    SecretScanReport scan = TURNLOG_TRY(Scan(path));
    SurroundingReport report{.path = path, .files = scan.files, .bytes = scan.bytes};
    report.for_people = is_tools && IsAmong(kForPeople, path);
    if (report.for_people && options_.action == DoctorAction::kReplace && !scan.secrets.empty()) {
      const std::size_t before = scan.secrets.size();
      Clean(scan, report);
      scan = TURNLOG_TRY(Scan(path));
      report.removed = before - std::min(before, scan.secrets.size());
    }
    for (const SecretLocation& secret : scan.secrets) ++report.secrets[secret.rule];
    for (const SecretScanProblem& problem : scan.problems)
      report.not_read.push_back(problem.file + ": " + problem.reason);
    return report;
  }

 private:
  // Removes the backups that it has left of cleaned files, whose late bytes are carried over before.
  Status FinishKilledRun(const fs::path& path) const {
    TURNLOG_TRY(FinishFile(path));
    if (!IsFolder(path)) return {};
    std::error_code error;
    for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
      TURNLOG_TRY(FinishFile(entry->path()));
    }
    return {};
  }

  Status FinishFile(const fs::path& backup) const {
    const auto file = FileOfUnredacted(backup);
    std::error_code ignored;
    if (!file || !fs::exists(fs::symlink_status(*file, ignored))) return {};
    (void)TURNLOG_TRY(CarryOver(*file, options_.on_step));
    (void)TURNLOG_TRY(RemoveUnredacted(*file));
    return {};
  }

  Result<SecretScanReport> Scan(const fs::path& path) const {
    const std::array<fs::path, 1> paths{path};
    SecretScanReport scan = TURNLOG_TRY(ScanForSecrets(paths, {.jobs = options_.jobs}));
    const std::vector<std::string_view> values = known_.values();
    if (values.empty()) return scan;
    AddOthers(TURNLOG_TRY(ScanForSecrets(paths, {.values = values, .jobs = options_.jobs})).secrets, scan.secrets);
    return scan;
  }

  static void AddOthers(std::vector<SecretLocation> some, std::vector<SecretLocation>& all) {
    std::map<std::string, std::vector<TextSpan>> found;  // by file
    for (const SecretLocation& secret : all) found[secret.file].push_back(SpanOf(secret));
    for (auto& [file, spans] : found) spans = MergeSpans(std::move(spans));
    for (SecretLocation& secret : some) {
      const std::vector<TextSpan>& spans = found[secret.file];
      const auto next = std::ranges::upper_bound(spans, secret.offset, {}, &TextSpan::end);
      if (next == spans.end() || next->begin >= SpanOf(secret).end) all.push_back(std::move(secret));
    }
  }

  static TextSpan SpanOf(const SecretLocation& secret) { return {secret.offset, secret.offset + secret.length}; }

  void Clean(const SecretScanReport& scan, SurroundingReport& report) const {
    std::set<std::string> files;
    for (const SecretLocation& secret : scan.secrets) files.insert(secret.file);
    for (const std::string& file : files) {
      const auto done = CleanFile(file);
      const auto problem = done ? done->problem : done.error();
      if (!problem) continue;
      const bool is_busy = problem->code == ErrorCode::kBusy;
      std::string text = fmt::format("{}: {}{}", file, is_busy && !done ? "not cleaned: " : "", problem->message);
      (is_busy ? report.busy : report.not_cleaned).push_back(std::move(text));
    }
  }

  // Also where the text itself repeats what a rule finds in it. What is found here is not searched for elsewhere.
  std::optional<std::string> Redacted(std::string_view text) const {
    KnownSecrets own;
    std::optional<std::string> redacted;
    const auto take = [&](std::optional<std::string> changed) {
      if (changed) redacted = std::move(changed);
    };
    const auto now = [&] { return redacted ? std::string_view(*redacted) : text; };
    take(secrets_.RedactAnyText(text, own));
    own.Prepare();
    if (redacted) take(secrets_.RedactAnyText(now(), own));
    take(RedactText([this](std::string_view some) { return known_.Find(some); }, now()));
    return redacted;
  }

  // Does nothing to what is no text.
  Result<ReplaceOutcome> CleanFile(const fs::path& path) const {
    struct stat seen = {};
    if (::lstat(path.c_str(), &seen) != 0 || !S_ISREG(seen.st_mode)) return ReplaceOutcome();
    const std::string text = TURNLOG_TRY(SourceFile(path, false).ReadAll());
    const auto redacted = IsUtf8(text) && !text.contains('\0') ? Redacted(text) : std::nullopt;
    if (!redacted) return ReplaceOutcome();
    const ReplaceRequest request{.path = path,
                                 .seen = seen,
                                 .idle_seconds = options_.idle_seconds,
                                 .keep_backup = false,
                                 .contents = [&](const WriteBytes& write) { return write(*redacted); },
                                 .on_step = options_.on_step};
    return ReplaceFile(request);
  }

  const SessionSecrets& secrets_;
  KnownSecrets& known_;
  const DoctorOptions& options_;
};

}  // namespace

SearchedPaths FindSurroundings(std::span<const FoundSource> sources, std::span<const fs::path> homes,
                               const NamesByFolder& examined) {
  FoundSurroundings found(examined);
  for (const FoundSource& source : sources) {
    found.Add(source);
    found.AddDatabase(source);
  }
  for (const fs::path& home : homes) {
    std::error_code error;
    const fs::path real = fs::canonical(home, error);
    const std::string_view tool = error ? std::string_view() : ToolOfHome(real);
    if (!tool.empty()) found.AddHome(tool, real);
  }
  return found.Take();
}

Status SearchSurroundings(const SearchedPaths& found, const SessionSecrets& secrets, KnownSecrets& known,
                          const DoctorOptions& options, DoctorReport& report) {
  known.Prepare();
  for (const auto& [path, is_tools] : found) {
    std::error_code ignored;
    SurroundingReport some = TURNLOG_TRY(Search(secrets, known, options).Run(path, is_tools));
    // What a killed run has left is gone when another one has written the same file.
    const bool is_left = path.extension() == ".new" || path.extension() == kBackupSuffix;
    if (is_left && !fs::exists(fs::symlink_status(path, ignored))) continue;
    report.surroundings.push_back(std::move(some));
  }
  return {};
}

}  // namespace turnlog
