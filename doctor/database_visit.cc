#include "doctor/database_visit.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "base/try.h"
#include "doctor/database_kind.h"
#include "doctor/leftover_secrets.h"
#include "doctor/mended_rows.h"
#include "doctor/mended_session.h"
#include "doctor/open_files.h"
#include "doctor/write_database.h"
#include "doctor/write_session.h"
#include "migrate/sources/descriptor.h"
#include "migrate/sqlite/row_inserts.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

Result<std::string> ReadAll(SourceFile& file) {
  TURNLOG_TRY(file.DigestUpTo(UINT64_MAX));
  std::string text(file.digest().size(), '\0');
  text.resize(TURNLOG_TRY(file.ReadAt(0, text)));
  return text;
}

// A database, and the changes of its rows that its sessions need.
class DatabaseVisit {
 public:
  DatabaseVisit(const FoundSource& found, Source source, const SourceVisitContext& context)
      : kind_(*FindDatabaseKind(found.format->name)),
        path_(found.path),
        open_{std::make_unique<Source>(std::move(source)), nullptr},
        context_(context),
        options_(context.options) {}

  SourceReport Run() {
    SourceReport report;
    if (const Status done = Examine(report); !done) {
      SessionReport& failed = report.sessions.emplace_back(NewReport());
      failed.problem = done.error();
    }
    if (report.sessions.empty()) report.notes.push_back(fmt::format("{}: no sessions", path_.string()));
    if (options_.action == DoctorAction::kPlan && is_damaged_) {
      for (SessionReport& session : report.sessions) session.passes.clear();
      report.notes.push_back(fmt::format("{}: a plan has no damaged database: give --out", path_.string()));
    }
    if (options_.action == DoctorAction::kReplace && changes_.empty() && !is_damaged_) RemoveLeftovers(report);
    const bool writes = options_.action == DoctorAction::kCopy || options_.action == DoctorAction::kReplace;
    if (!writes || (changes_.empty() && !is_damaged_)) return report;
    const auto written = Write();
    if (written) AddNote(*written, report);
    for (SessionReport& session : report.sessions) NoteWritten(written, session);
    return report;
  }

  SourceReport Apply(std::span<SessionReport* const> planned) {
    SourceReport report;
    const Status done = ApplyEach(planned);
    if (changes_.empty() && done) return report;
    const auto written = done ? Write() : std::unexpected(done.error());
    if (written) AddNote(*written, report);
    for (SessionReport* session : planned) NoteWritten(written, *session);
    return report;
  }

 private:
  SessionReport NewReport(std::string session = {}) const {
    SessionReport report{.path = path_, .format = std::string(kind_.format)};
    report.session = std::move(session);
    return report;
  }

  // What SQLite finds wrong with it; empty: nothing.
  Result<std::string> Open() {
    if (::lstat(path_.c_str(), &seen_) != 0) return FileError("look at", path_, errno);
    if (!S_ISREG(seen_.st_mode)) return std::unexpected(Error{ErrorCode::kUnsupported, "not a regular file"});
    open_.database = TURNLOG_TRY(Database::Open(*open_.source));
    std::string damage = TURNLOG_TRY(open_.database->FindDamage());
    is_damaged_ = !damage.empty();
    can_insert_ = CanRaiseIds(*open_.database, "agent_messages");
    return damage;
  }

  Status Examine(SourceReport& report) {
    const std::string damage = TURNLOG_TRY(Open());
    if (is_damaged_) {
      SessionReport& damaged = report.sessions.emplace_back(NewReport());
      damaged.findings.push_back({"damaged-database", Verdict::kRefused, 1, 0, damage, true});
    }
    for (RecordFile& session : TURNLOG_TRY(kind_.sessions(*open_.source))) {
      SessionReport some = NewReport(session.conversation);
      if (const Status done = Visit(session, some, report.known); !done) some.problem = done.error();
      report.sessions.push_back(std::move(some));
    }
    return FindUnlisted(report);
  }

  Status FindUnlisted(SourceReport& report) const {
    if (kind_.unlisted.empty() || !open_.database->HasTable("session", {"id"})) return {};
    Statement rows = TURNLOG_TRY(open_.database->Prepare(kind_.unlisted));
    while (TURNLOG_TRY(rows.Step())) {
      report.indexes.push_back({"index-missing-entry", path_, std::string(rows.Text(0)), path_});
    }
    return {};
  }

  // Messages may be in several branches of a session: only the main one is mended.
  Status Visit(RecordFile& session, SessionReport& report, KnownSecrets& of_all) {
    const bool is_branch = !session.parts.empty() && kind_.checks == CheckAgentsRows &&
                           std::ranges::any_of(session.parts, [](const auto& part) { return part.name == "parent"; });
    SessionRows rows = TURNLOG_TRY(ReadSessionRows(kind_, *session.rows, path_));
    const bool is_mended = kind_.is_writable && !is_branch && rows.is_read;
    SessionFile file{.file = &rows.lines, .format = kind_.format, .checks = kind_.checks};
    file.can_insert = can_insert_ && is_mended;
    file.can_remove = is_mended;
    DoctorOptions options = options_;
    if (!is_mended) options.action = DoctorAction::kExamine;
    options.redact = options.redact && is_mended;
    KnownSecrets known;
    MendedSession mended(file, options, context_.secrets, &known);
    TURNLOG_TRY(mended.Run(report));
    of_all.Add(known);
    for (SessionFinding& finding : report.findings) finding.mended = finding.mended && is_mended;
    return report.passes.empty() ? Status() : AddChanges(rows.lines, mended);
  }

  Status ApplyEach(std::span<SessionReport* const> planned) {
    (void)TURNLOG_TRY(Open());
    // No plan is made of a damaged one. Rows of its sessions that can be read may be the same; others may be gone.
    if (is_damaged_) {
      return std::unexpected(
          Error{ErrorCode::kConflict, "the database was damaged since the plan was made: examine it again"});
    }
    std::vector<RecordFile> sessions = TURNLOG_TRY(kind_.sessions(*open_.source));
    for (SessionReport* session : planned)
      session->problem = Error{ErrorCode::kNotFound, "the database does not have this session"};
    for (RecordFile& session : sessions) {
      const auto found = std::ranges::find(planned, session.conversation, &SessionReport::session);
      if (found == planned.end()) continue;
      const Status done = ApplyTo(session, **found);
      (*found)->problem = done ? std::nullopt : std::optional(done.error());
    }
    return {};
  }

  Status ApplyTo(RecordFile& session, SessionReport& planned) {
    SessionRows rows = TURNLOG_TRY(ReadSessionRows(kind_, *session.rows, path_));
    const SessionFile file{.file = &rows.lines, .format = kind_.format};
    MendedSession mended(file, options_, nullptr, nullptr);
    TURNLOG_TRY(mended.Apply(planned.passes, planned));
    return AddChanges(rows.lines, mended);
  }

  Status AddChanges(SourceFile& rows, MendedSession& mended) {
    const std::string before = TURNLOG_TRY(ReadAll(rows));
    std::string after;
    TURNLOG_TRY(mended.Write([&](std::string_view bytes) {
      after += bytes;
      return Status();
    }));
    auto changes = FindRowChanges(before, after);
    if (!changes) {
      return std::unexpected(
          Error{ErrorCode::kUnsupported, "what has to change is in a row without an id, or no text"});
    }
    std::ranges::move(*changes, std::back_inserter(changes_));
    return {};
  }

  // A run that was killed after its transaction has left the old rows in free pages or the log; and so has the tool.
  void RemoveLeftovers(SourceReport& report) {
    if (!options_.redact || !kind_.is_writable || !open_.database) return;
    LeftoverSecrets search(*context_.secrets, {});
    if (!search.Search(path_).value_or(false)) return;
    const auto written = Write();
    if (const auto why = written ? written->problem : written.error()) {
      report.notes.push_back(
          fmt::format("{}: presumed secrets outside its rows were not removed: {}", path_.string(), why->message));
    }
    if (written) AddNote(*written, report);
  }

  void AddNote(const WrittenRows& written, SourceReport& report) const {
    if (!written.note.empty()) report.notes.push_back(fmt::format("{}: {}", path_.string(), written.note));
  }

  Result<WrittenRows> Write() {
    const DatabaseWrite wanted{path_, seen_, changes_, is_damaged_, options_, context_.secrets};
    if (options_.action == DoctorAction::kReplace) return ReplaceRows(wanted, open_);
    const fs::path copy = TURNLOG_TRY(context_.copies.Take(path_));
    return WriteDatabaseCopy(wanted, *open_.database, copy);
  }

  void NoteWritten(const Result<WrittenRows>& written, SessionReport& session) const {
    const bool is_changed = !session.passes.empty() || (is_damaged_ && session.session.empty());
    if (!is_changed) return;
    const bool is_tried = !session.problem;
    if (is_tried && written) {
      session.written = written->path;
      session.backup = written->backup;
      session.problem = written->problem;
    } else if (is_tried) {
      session.problem = written.error();
    }
    NoteUnwritten(options_, session);
  }

  const DatabaseKind& kind_;
  const fs::path path_;
  OpenDatabase open_;
  const SourceVisitContext& context_;
  const DoctorOptions& options_;
  struct stat seen_ = {};
  bool is_damaged_ = false, can_insert_ = true;
  std::vector<RowChange> changes_;
};

}  // namespace

SourceReport VisitDatabase(const FoundSource& found, Source source, const SourceVisitContext& context) {
  if (FindDatabaseKind(found.format->name) == nullptr) return {.not_examined = std::string(found.format->name)};
  return DatabaseVisit(found, std::move(source), context).Run();
}

std::vector<std::string> ApplyToDatabase(const FoundSource& found, Source source, const SourceVisitContext& context,
                                         std::span<SessionReport* const> planned) {
  const DatabaseKind* const kind = FindDatabaseKind(found.format->name);
  if (kind == nullptr || !kind->is_writable) {
    const Error unchanged{ErrorCode::kUnsupported, "databases of this format are not changed"};
    for (SessionReport* session : planned) session->problem = unchanged;
    return {};
  }
  return DatabaseVisit(found, std::move(source), context).Apply(planned).notes;
}

}  // namespace turnlog
