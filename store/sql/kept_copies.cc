// Where a database may keep what was erased, outside of the tables. Each question is asked alone: a role may not ask
// all.
#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "store/sql/connection.h"
#include "turnlog/sql_log.h"

namespace turnlog {
namespace {

const SqlStatement kSettings{"turnlog_settings",
                             "SELECT convert_to(current_setting('archive_mode', true), 'UTF8'), "
                             "convert_to(current_setting('wal_recycle', true), 'UTF8'), "
                             "convert_to(current_setting('wal_keep_size', true), 'UTF8'), "
                             "convert_to(to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), 'UTF8')"};
const SqlStatement kLogsParameters{
    "turnlog_logs_parameters",
    "SELECT convert_to(name, 'UTF8') FROM pg_settings WHERE current_setting('log_parameter_max_length', true) <> '0' "
    "AND "
    "((name = 'log_statement' AND setting IN ('mod', 'all')) OR (name = 'log_duration' AND setting = 'on') OR (name IN "
    "('log_min_duration_statement', 'log_min_duration_sample', 'auto_explain.log_min_duration') AND setting <> '-1')) "
    "ORDER BY 1"};
const SqlStatement kWalPosition{"turnlog_wal_position",
                                "SELECT convert_to(pg_walfile_name(pg_current_wal_insert_lsn()), 'UTF8'), "
                                "convert_to(pg_current_wal_flush_lsn()::text, 'UTF8')"};
// Files that wait to be used again may hold old log.
const SqlStatement kWalFiles{
    "turnlog_wal_files",
    "SELECT count(*), count(*) FILTER (WHERE name > pg_walfile_name(pg_current_wal_insert_lsn())) "
    "FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'"};
const SqlStatement kSlots{"turnlog_slots",
                          "SELECT convert_to(slot_name::text, 'UTF8') FROM pg_replication_slots WHERE "
                          "pg_walfile_name(restart_lsn) < pg_walfile_name(pg_current_wal_insert_lsn()) ORDER BY 1"};
const SqlStatement kStandbys{"turnlog_standbys",
                             "SELECT convert_to(coalesce(application_name, ''), 'UTF8'), "
                             "(replay_lsn >= pg_current_wal_flush_lsn())::int FROM pg_stat_replication ORDER BY 1"};

class CopyFinder {
 public:
  explicit CopyFinder(Connection& connection) : connection_(connection) {}

  SqlResult<std::vector<KeptCopy>> Find() {
    const SqlRows settings = TURNLOG_TRY(connection_.Run(kSettings));
    const auto setting = [&](int column) { return std::string(settings.Bytes(0, column)); };
    if (auto position = connection_.Run(kWalPosition)) {
      file_ = position->Bytes(0, 0);
      flushed_ = position->Bytes(0, 1);
    }
    AddWal(setting(1), setting(2));
    if (setting(0) != "off") AddArchive();
    AddSlots();
    AddStandbys();
    AddServerLog();
    Add("base backups and dumps",
        fmt::format("delete those made before {} UTC: the server does not know them", setting(3)));
    return std::move(found_);
  }

 private:
  void Add(std::string place, std::string end) { found_.push_back({std::move(place), std::move(end)}); }
  void AddUnknown(std::string place, const SqlError& error) {
    Add(std::move(place), fmt::format("unknown, since the server refused to tell ({}): ask as a member of pg_monitor",
                                      Error(error).message));
  }

  void AddWal(const std::string& recycle, const std::string& keep) {
    std::string settings = "`wal_recycle = off`" + (recycle == "off" ? std::string() : " (now " + recycle + ")");
    if (keep != "0") settings += fmt::format(" and `wal_keep_size = 0` (now {})", keep);
    const auto files = connection_.Run(kWalFiles);
    if (!files) {
      return Add(
          "the write-ahead log",
          fmt::format("with {} run `SELECT pg_switch_wal(); CHECKPOINT` until the folder pg_wal holds only newer "
                      "files; a member of pg_monitor is told how often",
                      settings));
    }
    Add(fmt::format("the write-ahead log ({} files in pg_wal)", files->Integer(0, 0)),
        fmt::format("with {} run `SELECT pg_switch_wal(); CHECKPOINT` {} times", settings, files->Integer(0, 1) + 2));
  }

  void AddArchive() {
    Add("the archive of the write-ahead log",
        file_.empty() ? "delete its files from before the erasure"
                      : fmt::format("delete its files from before the erasure: `pg_archivecleanup FOLDER {}`", file_));
  }

  void AddSlots() {
    const auto slots = connection_.Run(kSlots);
    if (!slots) return AddUnknown("replication slots", slots.error());
    for (std::size_t row = 0; row < slots->size(); ++row) {
      const std::string_view name = slots->Bytes(row, 0);
      Add(fmt::format("the log that replication slot \"{}\" keeps", name),
          fmt::format("let its reader catch up, or `SELECT pg_drop_replication_slot('{}')`", name));
    }
  }

  void AddStandbys() {
    const auto standbys = connection_.Run(kStandbys);
    if (!standbys) return AddUnknown("standbys", standbys.error());
    for (std::size_t row = 0; row < standbys->size(); ++row) {
      const bool caught_up = !standbys->IsNull(row, 1) && standbys->Integer(row, 1) == 1;
      Add(fmt::format("standby \"{}\"", standbys->Bytes(row, 0)),
          caught_up ? "it has replayed the erasure; its own pg_wal is recycled as here"
                    : fmt::format("wait until its replay_lsn in pg_stat_replication has reached {}; its own pg_wal is "
                                  "recycled as here",
                                  flushed_));
    }
  }

  void AddServerLog() {
    const auto settings = connection_.Run(kLogsParameters);
    if (!settings) return AddUnknown("the server's log", settings.error());
    if (settings->size() == 0) return;
    std::string names;
    for (std::size_t row = 0; row < settings->size(); ++row) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", settings->Bytes(row, 0));
    }
    Add("the server's log", fmt::format("delete its files, and set `log_parameter_max_length = 0`: {} may have logged "
                                        "values",
                                        names));
  }

  Connection& connection_;
  std::string file_, flushed_;  // where the log stands; empty on a standby
  std::vector<KeptCopy> found_;
};

}  // namespace

Result<std::vector<KeptCopy>> FindKeptCopies(const std::string& url) {
  const auto connection = TURNLOG_TRY(Connection::Open(url, "turnlog"));
  return TURNLOG_TRY(CopyFinder(*connection).Find());
}

}  // namespace turnlog
