#include "doctor/source_visit.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

#include "base/try.h"
#include "doctor/copy_mark.h"
#include "doctor/database_visit.h"
#include "doctor/folder_rename.h"
#include "doctor/late_bytes.h"
#include "doctor/mended_session.h"
#include "doctor/pending_file.h"
#include "doctor/real_path.h"
#include "doctor/replace_file.h"
#include "doctor/write_session.h"
#include "migrate/sources/descriptor.h"
#include "migrate/sqlite/database.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// The sessions of one source, in files.
class FilesVisit {
 public:
  FilesVisit(const FoundSource& found, Source& source, const SourceVisitContext& context)
      : found_(found), source_(source), context_(context), options_(context.options) {}

  std::vector<SessionReport> Run() {
    std::vector<SessionReport> reports;
    std::vector<SessionFile> sessions = SessionFilesOf(*found_.format, source_);
    if (sessions.size() > 1) LearnSecrets(sessions);
    for (const SessionFile& session : sessions) {
      SessionReport report{.path = NormalPath(session.file->path()), .format = std::string(session.format)};
      report.is_part = session.is_part;
      if (const Status done = Visit(session, report); !done) report.problem = done.error();
      const bool says_nothing = report.findings.empty() && report.secrets.empty() && !report.problem &&
                                report.written.empty() && report.carried_over == 0;
      if (report.is_part && says_nothing) {
        reports.front().size_of_parts += report.size;
      } else {
        reports.push_back(std::move(report));
      }
    }
    if (reports.empty()) return reports;
    LookForMetadata(reports.front());
    if (const Status done = CopyTheRest(reports); !done) reports.front().problem = done.error();
    if (const Status moved = Move(reports); !moved) reports.front().problem = moved.error();
    return reports;
  }

  KnownSecrets TakeKnown() && { return std::move(known_); }

 private:
  // What a file of a folder has may be repeated in one before it. What cannot be read is reported by the visit.
  void LearnSecrets(const std::vector<SessionFile>& sessions) {
    if (!options_.redact || options_.action == DoctorAction::kExamine) return;
    FoundSecretCounts counts{.secrets = *context_.secrets, .known = known_, .redact = true};
    for (const SessionFile& session : sessions) (void)ExamineFile(session, *session.file, options_, &counts);
  }

  // A copy of a session that is a folder has all its files.
  Status CopyTheRest(const std::vector<SessionReport>& reports) {
    const bool is_folder = found_.format->name == "jp" || found_.format->name == "opencode";
    if (!is_folder || options_.action != DoctorAction::kCopy || options_.out.empty()) return {};
    std::set<fs::path> written;
    for (const SessionReport& report : reports) written.insert(report.written);
    written.erase(fs::path());
    if (written.empty()) return {};
    for (SourceFile& file : source_.files) {
      const fs::path path = NormalPath(file.path()), copy = TURNLOG_TRY(context_.copies.Take(path));
      if (!written.contains(copy)) TURNLOG_TRY(CopyUnchanged(path, copy));
    }
    return {};
  }

  static Status CopyUnchanged(const fs::path& path, const fs::path& copy) {
    TURNLOG_TRY(CheckCopy(path, copy));
    std::error_code error;
    fs::create_directories(copy.parent_path(), error);
    struct stat seen = {};
    if (::stat(path.c_str(), &seen) != 0) return FileError("look at", path, errno);
    PendingFile file = TURNLOG_TRY(PendingFile::Create(copy));
    fs::copy_file(path, file.temporary(), fs::copy_options::overwrite_existing, error);
    if (error) return FileError("copy", path, error.value());
    TURNLOG_TRY(file.Complete(seen));
    MarkCopy(file.temporary());
    return file.Rename();
  }

  // jp moves a conversation without it into its trash.
  void LookForMetadata(SessionReport& report) {
    if (found_.format->name != "jp" || source_.Find("metadata.json") != nullptr) return;
    report.findings.push_back({"jp-metadata", Verdict::kRefused, 1, 0, "there is no metadata.json", false});
  }

  // After all files of the session were replaced.
  Status Move(std::vector<SessionReport>& reports) const {
    const auto failed = [](const SessionReport& report) { return report.problem.has_value(); };
    if (!options_.rename || options_.action != DoctorAction::kReplace || found_.format->name != "claude-code")
      return {};
    if (cwd_.empty() || std::ranges::any_of(reports, failed)) return {};
    const auto moved = TURNLOG_TRY(MoveClaudeSession(found_.path, cwd_, *options_.rename, options_.on_step));
    if (!moved) return {};
    reports.front().moved = *moved;
    // The backups have moved with what they are of.
    const fs::path folder = NormalPath(found_.path).parent_path();
    for (SessionReport& report : reports) {
      if (!report.backup.empty()) report.backup = moved->parent_path() / report.backup.lexically_relative(folder);
    }
    return {};
  }

  Status Visit(const SessionFile& session, SessionReport& report) {
    const bool replaces = options_.action == DoctorAction::kReplace;
    if (replaces) {
      report.carried_over = TURNLOG_TRY(CarryOver(report.path, options_.on_step));
      (void)TURNLOG_TRY(RemoveUnredacted(report.path));
    }
    if (replaces && options_.on_step) options_.on_step("examine");
    struct stat seen = {};
    if (::lstat(report.path.c_str(), &seen) != 0) seen = {};
    // The end of what was read to recognise the format may not be the end of what is replaced.
    if (replaces && S_ISREG(seen.st_mode)) session.file->Reopen();
    MendedSession mended(session, options_, context_.secrets, &known_, context_.counts_apart);
    TURNLOG_TRY(mended.Run(report));
    if (cwd_.empty()) cwd_ = mended.cwd();
    Status done;
    if (!report.passes.empty()) done = WriteMended(mended, seen, context_.copies, options_, report);
    NoteLateBytes(report);
    return done;
  }

  static void NoteLateBytes(SessionReport& report) {
    const std::uint64_t late = CountLateBytes(report.path), unredacted = CountUnredacted(report.path);
    if (late > 0) {
      report.findings.push_back({"late-append", Verdict::kRefused, 1, 0, std::to_string(late) + " bytes", false});
    }
    if (unredacted > 0) report.findings.push_back({"unredacted-backup", Verdict::kRisk, 1, 0, {}, false});
  }

  const FoundSource& found_;
  Source& source_;
  const SourceVisitContext& context_;
  const DoctorOptions& options_;
  KnownSecrets known_;
  std::string cwd_;  // of the first file that has one
};

SessionReport Failed(const FoundSource& found, Error why) {
  return {.path = found.path, .format = std::string(found.format->name), .problem = std::move(why)};
}

}  // namespace

SourceReport VisitSource(FoundSource found, const SourceVisitContext& context) {
  SourceReport report;
  std::vector<ImportProblem> notes;
  Result<Source> source = LoadSource(found, notes);
  if (!source) {
    report.sessions.push_back(Failed(found, source.error()));
    return report;
  }
  found.file.reset();
  if (IsDatabase(*source)) return VisitDatabase(found, *std::move(source), context);
  FilesVisit visit(found, *source, context);
  report.sessions = visit.Run();
  report.known = std::move(visit).TakeKnown();
  if (report.sessions.empty()) report.not_examined = found.format->name;
  return report;
}

}  // namespace turnlog
