#include "doctor/mend_index.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "doctor/open_files.h"
#include "doctor/replace_file.h"
#include "migrate/codex/thread_index.h"
#include "migrate/format.h"
#include "migrate/records/probe_records.h"
#include "migrate/sources/descriptor.h"
#include "migrate/sources/source.h"
#include "migrate/sqlite/row_changes.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

bool IsSameFile(const fs::path& one, const fs::path& other) {
  struct stat a = {}, b = {};
  return ::lstat(one.c_str(), &a) == 0 && ::lstat(other.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

// Under a name that is free, and that is not one of a replaced file (BackupName).
Status PutAside(const fs::path& path, const OnStep& on_step, std::vector<IndexFinding>& found) {
  if (on_step) on_step("put aside");
  for (unsigned number = 1;; ++number) {
    const std::string more = number > 1 ? fmt::format(".aside-{}", number) : std::string();
    const fs::path aside = path.string() + more + std::string(kBackupSuffix);
    if (::link(path.c_str(), aside.c_str()) == 0) break;
    if (errno != EEXIST) return FileError("link", aside, errno);
    if (IsSameFile(path, aside)) break;  // a killed run has made it
  }
  if (on_step) on_step("aside");
  TURNLOG_TRY(PosixFileSystem().Remove(path));
  TURNLOG_TRY(PosixFileSystem().SyncDirectory(path.parent_path()));
  for (IndexFinding& finding : found) finding.mended = true;
  return {};
}

// The text of the first prompt, as Codex shows it in its list.
std::string TitleIn(std::string_view head) {
  std::string title;
  AnyRecord(head, [&](const JsonObject& record) {
    const JsonObject event = record.Object("payload");
    if (event.String("type") == "user_message") title = event.String("message").value_or("");
    return !title.empty();
  });
  return title;
}

// What the beginning of a session says of it; nothing if it has no header.
std::optional<CodexThread> ReadThread(const std::string& id, const fs::path& path) {
  SourceFile file(path, false);
  const std::string head = file.Head(kProbeBytes).value_or(std::string());
  CodexThread thread{.id = id, .folder = {}, .title = TitleIn(head), .rollout = path, .created = {}, .updated = {}};
  const bool has_header = AnyRecord(head, [&](const JsonObject& record) {
    const JsonObject meta = record.String("type") == "session_meta" ? record.Object("payload") : JsonObject();
    if (meta.String("id") != id) return false;
    thread.folder = meta.String("cwd").value_or("");
    thread.created = Timestamp::ParseRfc3339(meta.String("timestamp").value_or("")).value_or(Timestamp());
    return true;
  });
  struct stat info = {};
  if (!has_header || ::stat(path.c_str(), &info) != 0) return std::nullopt;
  thread.updated = Timestamp{std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000};
  return thread;
}

Status MendEntry(CodexThreadIndex& threads, const SessionIndex& index, IndexFinding& finding) {
  if (finding.rule == "index-moved-file") {
    const std::vector<ColumnChange> path{
        {"rollout_path", index.sessions.at(finding.session).string(), finding.file.string()}};
    const RowChange change{
        .kind = RowChange::Kind::kUpdate, .table = "threads", .id = finding.session, .columns = path};
    TURNLOG_TRY(WriteRowChanges(index.path, {&change, 1}, {}));
    finding.mended = true;
  } else if (finding.rule == "index-missing-entry") {
    const auto thread = ReadThread(finding.session, finding.file);
    if (!thread) return {};
    // Of a damaged table, a row may have this id and yet not be found by it.
    finding.mended = TURNLOG_TRY(threads.Add(*thread));
  }
  return {};
}

Status MendThreads(const SessionIndex& index, const OnStep& on_step, std::vector<IndexFinding>& found) {
  const std::unique_ptr<CodexThreadIndex> threads = TURNLOG_TRY(CodexThreadIndex::Open(index.path.parent_path()));
  if (threads == nullptr) return {};
  for (IndexFinding& finding : found) {
    if (on_step) on_step("mend entry");
    TURNLOG_TRY(MendEntry(*threads, index, finding));
  }
  return {};
}

}  // namespace

Status MendIndex(const SessionIndex& index, const DoctorOptions& options, std::vector<IndexFinding>& found) {
  const bool is_claudes = index.path.extension() == ".json";
  // It quotes prompts: with a redaction, no copy is made.
  if (found.empty() || !index.is_complete || (is_claudes && options.redact)) return {};
  TURNLOG_TRY(CheckIdle(index.path, options.idle_seconds));
  return is_claudes ? PutAside(index.path, options.on_step, found) : MendThreads(index, options.on_step, found);
}

}  // namespace turnlog
