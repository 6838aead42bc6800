#include "doctor/folder_rename.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "base/file_system.h"
#include "base/try.h"
#include "doctor/replace_file.h"
#include "doctor/session_checks.h"
#include "migrate/claude_code/session.h"
#include "migrate/sources/descriptor.h"
#include "turnlog/migrate/resume.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

Status MoveNew(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
  return FileError("move", from, errno);
}

// What belongs to a session, in an order in which an interrupted move can be continued: the session is the last.
Result<std::vector<fs::path>> FilesOf(const fs::path& session) {
  const std::string name = session.filename();
  std::vector<fs::path> files;
  const fs::path companion = session.parent_path() / ClaudeCompanionFolder(name);
  if (TURNLOG_TRY(PosixFileSystem().KindOf(companion)) == FileKind::kFolder) files.push_back(companion);
  for (const std::string& other : TURNLOG_TRY(PosixFileSystem().List(session.parent_path()))) {
    if (other.starts_with(name + ".") && other.ends_with(kBackupSuffix)) files.push_back(session.parent_path() / other);
  }
  files.push_back(session);
  return files;
}

}  // namespace

std::optional<std::string> RenamedPath(std::string_view path, const FolderRename& rename) {
  if (!path.starts_with(rename.from)) return std::nullopt;
  const std::string_view rest = path.substr(rename.from.size());
  if (!rest.empty() && rest.front() != '/') return std::nullopt;
  return rename.to + std::string(rest);
}

void CwdFields::Take(const SessionRecord& record, Diagnosis& diagnosis) {
  std::string_view token = record.object()["cwd"];
  if (token.empty() && record.object()["payload"].contains("\"cwd\"")) token = record.object().Object("payload")["cwd"];
  if (!record.is_exact() || !IsJsonString(token)) return;
  const std::string object = fmt::format("{{\"cwd\":{}}}", token);
  const std::string path = JsonObject::Parse(object)->String("cwd").value_or("");
  const auto renamed = RenamedPath(path, rename_);
  if (first_.empty()) first_ = renamed.value_or(path);
  if (!renamed) return;
  ++count_;
  if (!location_) location_ = FindingLocation{record.line(), record.Begin(token)};
  diagnosis.edits().Replace(record.Begin(token), record.End(token), JsonToken(*renamed));
}

void CwdFields::Finish(Diagnosis& diagnosis) {
  if (location_)
    diagnosis.Add("renamed-folder", *location_, true, fmt::format("{} record{}", count_, count_ == 1 ? "" : "s"));
}

Result<std::optional<fs::path>> MoveClaudeSession(const fs::path& session, std::string_view cwd,
                                                  const FolderRename& rename, const OnStep& on_step) {
  const auto former = RenamedPath(cwd, {rename.to, rename.from});
  std::error_code error;
  const fs::path path = fs::absolute(session, error);
  const fs::path folder = path.parent_path();
  if (!former || folder.filename() != ClaudeProjectName(*former)) return std::nullopt;
  const fs::path to = folder.parent_path() / ClaudeProjectName(cwd);
  if (to == folder) return std::nullopt;
  TURNLOG_TRY(PosixFileSystem().CreateDirectory(to));
  const std::vector<fs::path> files = TURNLOG_TRY(FilesOf(path));
  for (const fs::path& file : files) {
    if (on_step) on_step("move");
    TURNLOG_TRY(MoveNew(file, to / file.filename()));
  }
  if (on_step) on_step("moved");
  TURNLOG_TRY(PosixFileSystem().SyncDirectory(to));
  TURNLOG_TRY(PosixFileSystem().SyncDirectory(folder));
  (void)::rmdir(folder.c_str());  // if nothing is left in it
  return to / path.filename();
}

}  // namespace turnlog
