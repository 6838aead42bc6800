// The sessions in a database: each is examined as the text of its rows, one a line, and what has to change in them is
// written into a copy of the database, or into it.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "doctor/mended_rows.h"
#include "doctor/mended_session.h"
#include "doctor/open_files.h"
#include "doctor/pending_file.h"
#include "doctor/replace_file.h"
#include "doctor/row_data.h"
#include "doctor/source_visit.h"
#include "doctor/write_session.h"
#include "migrate/import/descriptor.h"
#include "migrate/langgraph/threads.h"
#include "migrate/openai_agents/sessions.h"
#include "migrate/opencode/database.h"
#include "migrate/sqlite/database.h"
#include "turnlog/redaction/secret_scan.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// What is known of a format.
struct DatabaseKind {
  std::string_view format;
  Result<std::vector<RecordFile>> (*sessions)(Source& source) = nullptr;
  MakeChecks checks = nullptr;
  std::string_view data{};  // the column with what a row says, as a JSON object
  bool is_writable = true;  // the rows are what the database has
  // The sessions whose rows exist, but which the tool does not list; empty: it has no list.
  std::string_view unlisted{};
};

constexpr std::array<DatabaseKind, 3> kKinds{
    {{"openai-agents", AgentsSessions, CheckAgentsRows, "message_data"},
     {"opencode", OpencodeDatabase, CheckOpencodeRows, "data", true,
      "SELECT DISTINCT session_id FROM message WHERE session_id NOT IN (SELECT id FROM session)"},
     {"langgraph", LangGraphThreads, CheckLangGraphThread, {}, false}}};
// Those of the column `data` above.
constexpr std::array<std::string_view, 3> kDataTables{"agent_messages", "message", "part"};

const DatabaseKind* FindKind(std::string_view format) {
  const auto found = std::ranges::find(kKinds, format, &DatabaseKind::format);
  return found == kKinds.end() ? nullptr : &*found;
}

Result<std::string> ReadAll(SourceFile& file) {
  TURNLOG_TRY(file.DigestUpTo(UINT64_MAX));
  std::string text(file.digest().size(), '\0');
  text.resize(TURNLOG_TRY(file.ReadAt(0, text)));
  return text;
}

class DatabaseVisit {
 public:
  DatabaseVisit(const FoundSource& found, Source source, const SourceVisitContext& context)
      : kind_(*FindKind(found.format->name)),
        path_(found.path),
        source_(std::make_unique<Source>(std::move(source))),
        context_(context),
        options_(context.options) {}

  SourceReport Run() {
    if (const Status done = Examine(); !done) Fail(done.error().message);
    if (report_.sessions.empty()) report_.notes.push_back(fmt::format("{}: no sessions", path_.string()));
    const bool writes = options_.action == DoctorAction::kCopy || options_.action == DoctorAction::kReplace;
    if (options_.action == DoctorAction::kPlan && !changes_.empty()) {
      report_.notes.push_back(fmt::format("{}: a plan has no rows of databases: give --out", path_.string()));
    }
    if (options_.action == DoctorAction::kReplace && changes_.empty() && !is_damaged_) Overwrite();
    if (!writes || (changes_.empty() && !is_damaged_)) return std::move(report_);
    const auto written = options_.action == DoctorAction::kCopy ? WriteCopy() : Replace();
    for (SessionReport& session : report_.sessions) NoteWritten(written, session);
    return std::move(report_);
  }

 private:
  void Fail(std::string why) {
    report_.sessions.push_back({.path = path_, .format = std::string(kind_.format), .problem = std::move(why)});
  }

  Status Examine() {
    if (::lstat(path_.c_str(), &seen_) != 0) return FileError("look at", path_, errno);
    if (!S_ISREG(seen_.st_mode)) return std::unexpected(Error{ErrorCode::kUnsupported, "not a regular file"});
    database_ = TURNLOG_TRY(Database::Open(*source_));
    TURNLOG_TRY(FindDamage());
    can_insert_ = CanRaiseIds(*database_, "agent_messages");
    for (RecordFile& session : TURNLOG_TRY(kind_.sessions(*source_))) {
      SessionReport report{.path = path_, .format = std::string(kind_.format)};
      report.session = session.conversation;
      if (const Status done = Visit(session, report); !done) report.problem = done.error().message;
      report_.sessions.push_back(std::move(report));
    }
    return FindUnlisted();
  }

  Status FindDamage() {
    const std::string damage = TURNLOG_TRY(database_->FindDamage());
    is_damaged_ = !damage.empty();
    if (!is_damaged_) return {};
    SessionReport report{.path = path_, .format = std::string(kind_.format)};
    report.findings.push_back({"damaged-database", Verdict::kRefused, 1, 0, damage, true});
    report_.sessions.push_back(std::move(report));
    return {};
  }

  Status FindUnlisted() {
    if (kind_.unlisted.empty() || !database_->HasTable("session", {"id"})) return {};
    Statement rows = TURNLOG_TRY(database_->Prepare(kind_.unlisted));
    while (TURNLOG_TRY(rows.Step())) {
      report_.indexes.push_back({"index-missing-entry", path_, std::string(rows.Text(0)), path_});
    }
    return {};
  }

  // Messages may be in several branches of a session: only the main one is mended.
  Status Visit(RecordFile& session, SessionReport& report) {
    const bool is_branch = !session.parts.empty() && kind_.checks == CheckAgentsRows &&
                           std::ranges::any_of(session.parts, [](const auto& part) { return part.name == "parent"; });
    bool is_read = true;
    SourceFile rows = TURNLOG_TRY(RowsOf(*session.rows, is_read));
    const bool is_mended = kind_.is_writable && !is_branch && is_read;
    SessionFile file{.file = &rows, .format = kind_.format, .checks = kind_.checks};
    file.can_insert = can_insert_ && is_mended;
    file.can_remove = is_mended;
    DoctorOptions options = options_;
    if (!is_mended) options.action = DoctorAction::kExamine;
    options.redact = options.redact && is_mended;
    MendedSession mended(file, options, context_.secrets);
    TURNLOG_TRY(mended.Run(report));
    for (SessionFinding& finding : report.findings) finding.mended = finding.mended && is_mended;
    return report.passes.empty() ? Status() : AddChanges(rows, mended);
  }

  // The rows as JSON lines. `is_read`: false if there is a row that may say what we do not understand, such as the
  // result of a call: what is missing in the session is then not known.
  Result<SourceFile> RowsOf(PieceReader& reader, bool& is_read) const {
    std::unique_ptr<Descriptor> text = TURNLOG_TRY(OpenUnnamed(path_));
    for (;;) {
      const RecordPiece piece = TURNLOG_TRY(reader.Next());
      is_read &= piece.kind != RecordPiece::Kind::kDamage;
      TURNLOG_TRY(text->Append(piece.lead));
      for (std::string_view rest = piece.bytes; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string row = WithObjectOf(rest.substr(0, end), kind_.data);
        is_read &= row.empty() || !IsUnclear(row);
        TURNLOG_TRY(text->Append(row));
        TURNLOG_TRY(text->Append(rest.substr(end, 1)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      if (piece.kind == RecordPiece::Kind::kEnd) break;
    }
    return SourceFile(path_.filename().string(), std::shared_ptr<ByteSource>(std::move(text)));
  }

  bool IsUnclear(std::string_view row) const {
    const auto columns = JsonObject::Parse(row);
    if (!columns) return true;
    const bool has_data = std::ranges::find(kDataTables, columns->String("table").value_or("")) != kDataTables.end();
    return has_data && ReadRowData((*columns)[kind_.data]) == RowData::kUnclear;
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

  // A run that was killed after its transaction has left the old rows in free pages or the log.
  void Overwrite() {
    if (!options_.redact || !kind_.is_writable || !database_) return;
    std::error_code ignored;
    std::vector<fs::path> files{path_};
    if (const fs::path log = path_.string() + "-wal"; fs::exists(log, ignored)) files.push_back(log);
    const auto found = ScanForSecrets(files, {.jobs = 1});
    if (!found || found->secrets.empty()) return;
    const auto written = Replace();
    report_.notes.push_back(fmt::format(
        "{}: {}", path_.string(),
        written ? "what earlier changes have left in its free pages was overwritten" : written.error().message));
  }

  // Where the result is; or why there is none.
  Result<fs::path> WriteCopy() {
    const fs::path to = CopyOf(path_, context_);
    TURNLOG_TRY(CheckCopy(path_, to));
    std::error_code ignored;
    for (const char* more : {"-wal", "-journal"}) {
      if (!fs::exists(fs::symlink_status(to.string() + more, ignored))) continue;
      return std::unexpected(
          Error{ErrorCode::kInvalidArgument, fmt::format("the copy would get the log {}{}", to.string(), more)});
    }
    if (to.has_parent_path()) fs::create_directories(to.parent_path(), ignored);
    TURNLOG_TRY(CopyTo(to, true));
    return to;
  }

  Status CopyTo(const fs::path& to, bool mended) {
    PendingFile file = TURNLOG_TRY(PendingFile::Create(to));
    TURNLOG_TRY(database_->CopyTo(file.temporary(), is_damaged_));
    if (mended) TURNLOG_TRY(WriteRowChanges(file.temporary(), changes_, {.overwrite = options_.redact}));
    TURNLOG_TRY(file.Complete(seen_));
    return file.Rename();
  }

  // The transaction is what makes it atomic.
  Result<fs::path> Replace() {
    if (is_damaged_) return std::unexpected(Error{ErrorCode::kUnsupported, "a damaged database: give --out"});
    // The log may be beside another name.
    if (seen_.st_nlink > 1) return std::unexpected(Error{ErrorCode::kUnsupported, "it has further names: give --out"});
    Step("open");
    if (auto busy = FindBusy()) return std::unexpected(Error{ErrorCode::kBusy, *std::move(busy)});
    Step("backup");
    if (!options_.redact) TURNLOG_TRY(CopyTo(NewBackupName(), false));
    Step("write");
    // What this process has open of the database has locks.
    database_.reset();
    source_.reset();
    const auto busy = FindBusy();
    const Status written = busy ? std::unexpected(Error{ErrorCode::kBusy, *busy})
                                : WriteRowChanges(path_, changes_, {.overwrite = options_.redact});
    Step("finish");
    if (written) return path_;
    // After other errors it is not certain what the database has.
    const ErrorCode why = written.error().code;
    const bool is_unchanged = why == ErrorCode::kBusy || why == ErrorCode::kConflict;
    if (!backup_.empty() && is_unchanged) TURNLOG_TRY(PosixFileSystem().Remove(backup_));
    backup_.clear();
    return std::unexpected(written.error());
  }

  void Step(std::string_view step) const {
    if (options_.on_step) options_.on_step(step);
  }

  fs::path NewBackupName() {
    std::error_code ignored;
    for (unsigned number = 1;; ++number) {
      const std::string more = number > 1 ? fmt::format(".{}", number) : std::string();
      backup_ = path_.string() + more + std::string(kBackupSuffix);
      if (!fs::exists(backup_, ignored)) return backup_;
    }
  }

  // Why the database must not be written now.
  std::optional<std::string> FindBusy() const {
    for (const char* more : {"", "-wal", "-journal"}) {
      struct stat file = {};
      if (::lstat((path_.string() + more).c_str(), &file) != 0) continue;
      if (auto busy = WhyBusy(file, options_.idle_seconds)) return busy;
    }
    return std::nullopt;
  }

  void NoteWritten(const Result<fs::path>& written, SessionReport& session) const {
    const bool is_changed = !session.passes.empty() || (is_damaged_ && session.session.empty());
    if (!is_changed || !session.problem.empty()) return;
    if (written) {
      session.written = *written;
      session.backup = backup_;
    } else {
      session.busy = written.error().code == ErrorCode::kBusy;
      session.problem = written.error().message;
    }
  }

  const DatabaseKind& kind_;
  const fs::path path_;
  std::unique_ptr<Source> source_;
  const SourceVisitContext& context_;
  const DoctorOptions& options_;
  std::unique_ptr<Database> database_;
  struct stat seen_ = {};
  bool is_damaged_ = false, can_insert_ = true;
  std::vector<RowChange> changes_;
  fs::path backup_;
  SourceReport report_;
};

}  // namespace

SourceReport VisitDatabase(const FoundSource& found, Source source, const SourceVisitContext& context) {
  if (FindKind(found.format->name) == nullptr) return {.not_examined = std::string(found.format->name)};
  return DatabaseVisit(found, std::move(source), context).Run();
}

}  // namespace turnlog
