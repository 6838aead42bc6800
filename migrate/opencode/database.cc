#include "migrate/opencode/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/try.h"
#include "migrate/opencode/converter.h"
#include "migrate/opencode/id_order.h"
#include "migrate/opencode/session_reader.h"
#include "migrate/sqlite/row_reader.h"
#include "migrate/sqlite/row_versions.h"

namespace turnlog {
namespace {

// Whose rows belong to sessions, too: their lists of things to do, and what later versions add.
Result<std::vector<std::string>> OtherTables(const Database& database) {
  Statement rows = TURNLOG_TRY(
      database.Prepare("SELECT t.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type='table' "
                       "AND c.name='session_id' AND t.name NOT IN ('message','part') ORDER BY 1"));
  std::vector<std::string> tables;
  while (TURNLOG_TRY(rows.Step())) tables.emplace_back(rows.Text(0));
  return tables;
}

// Whether its rows are records: they may be many, and what they say is in one column. Other tables have a state.
bool HasRecords(const Database& database, std::string_view table) {
  return database.HasTable(table, {"id", "session_id", "data"});
}

// opencode replaces rows, or writes the time of the change into them.
Result<RowVersions> VersionsOf(const Database& database) {
  RowVersions versions;
  if (database.HasTable("session", {"id"})) versions.Add(database, "SELECT id, * FROM session");
  std::vector<std::string> tables{"message", "part"};
  for (std::string& table : TURNLOG_TRY(OtherTables(database))) {
    if (HasRecords(database, table) && database.HasTable(table, {"time_updated"})) {
      tables.push_back(std::move(table));
    } else {
      versions.Add(database, fmt::format("SELECT session_id, * FROM {}", QuoteName(table)));
    }
  }
  for (const std::string& table : tables) {
    versions.Add(database, fmt::format("SELECT session_id, count(*), max(id), max(rowid), max(time_updated) "
                                       "FROM {} GROUP BY session_id",
                                       QuoteName(table)));
  }
  return versions;
}

bool IsAnswer(const std::string& row) {
  const JsonObject message = JsonObject::Parse(row).value_or(JsonObject());
  return IsOpencodeAnswer(PartOf(message));
}

// The rows of one session, one a line.
class Rows final : public OpencodeTexts {
 public:
  Rows(std::shared_ptr<const Database> database, std::string session)
      : database_(std::move(database)), session_(std::move(session)) {}

  Result<std::string> Header() override {
    std::string lines;
    if (database_->HasTable("session", {"id"})) {
      Statement row = TURNLOG_TRY(database_->Prepare("SELECT * FROM session WHERE id=?1"));
      row.Bind(1, session_);
      if (TURNLOG_TRY(row.Step())) lines += RowAsJson("session", row) + "\n";
    }
    for (const std::string& table : TURNLOG_TRY(OtherTables(*database_))) {
      if (HasRecords(*database_, table)) continue;
      const std::string sql = fmt::format("SELECT * FROM {} WHERE session_id=?1", QuoteName(table));
      Statement rows = TURNLOG_TRY(database_->Prepare(sql));
      rows.Bind(1, session_);
      while (TURNLOG_TRY(rows.Step())) lines += RowAsJson(table, rows) + "\n";
    }
    return lines;
  }

  Result<std::optional<Text>> Next() override {
    if (tables_.empty()) TURNLOG_TRY(FindRows());
    if (parts_ != nullptr && TURNLOG_TRY(parts_->Step())) {
      return Text{Text::Kind::kPart, is_last(), {}, RowAsJson("part", *parts_), "\n"};
    }
    parts_ = nullptr;
    const std::string row = next_ < places_.size() ? ReadRow(places_[next_]) : std::string();
    if (row.empty()) return failed_ ? std::unexpected(*failed_) : Result<std::optional<Text>>(std::nullopt);
    const Place& place = places_[next_++];
    if (place.table > 0) return Text{Text::Kind::kOther, is_last(), {}, row, "\n"};
    TURNLOG_TRY(FindParts(place.id));
    return Text{Text::Kind::kMessage, is_last(), {}, row, "\n"};
  }

 private:
  struct Table {
    std::string name;
    Statement row;  // by its rowid
  };
  // A message, or a row of another table.
  struct Place {
    std::int64_t time = 0;
    std::string id, row;
    std::size_t table = 0;
  };

  // In the order of their times, as opencode shows messages: ids ascend with the time, but began again at 0 once.
  Status FindRows() {
    TURNLOG_TRY(FindRowsOf("message"));
    for (const std::string& table : TURNLOG_TRY(OtherTables(*database_))) {
      if (HasRecords(*database_, table)) TURNLOG_TRY(FindRowsOf(table));
    }
    std::ranges::sort(places_, {}, [](const Place& place) {
      return std::tuple(place.time, place.table, std::string_view(place.id));
    });
    for (answers_ = places_.size(); answers_ > 0; --answers_) {
      const Place& place = places_[answers_ - 1];
      if (place.table == 0 && IsAnswer(ReadRow(place))) break;
    }
    return {};
  }

  // That one cannot be read costs those before it nothing.
  Status FindRowsOf(const std::string& table) {
    const std::string name = QuoteName(table);
    const std::string_view time = database_->HasTable(table, {"time_created"})
                                      ? "time_created"
                                      : "CASE WHEN json_valid(data) THEN json_extract(data,'$.time.created') END";
    Statement rows = TURNLOG_TRY(
        database_->Prepare(fmt::format("SELECT {}, id, rowid FROM {} WHERE session_id=?1 ORDER BY id", time, name)));
    rows.Bind(1, session_);
    auto found = rows.Step();
    for (; found && *found; found = rows.Step()) {
      places_.push_back({rows.Integer(0), std::string(rows.Text(1)), std::string(rows.Text(2)), tables_.size()});
    }
    if (!found) failed_ = found.error();
    tables_.push_back({table, TURNLOG_TRY(database_->Prepare(fmt::format("SELECT * FROM {} WHERE rowid=?1", name)))});
    return {};
  }

  // Empty: it cannot be read, and what follows neither.
  std::string ReadRow(const Place& place) {
    auto& [table, row] = tables_[place.table];
    row.Restart();
    row.Bind(1, place.row);
    const auto found = row.Step();
    if (!found) failed_ = found.error();
    return found && *found ? RowAsJson(table, row) : std::string();
  }

  // Their ids ascend as well; their times are those of a copy if opencode has copied them.
  Status FindParts(std::string_view message) {
    const std::string boundary = FirstPartOfOtherHalf(message);
    std::optional<Statement>& parts = boundary.empty() ? parts_by_id_ : parts_around_restart_;
    if (!parts) {
      const std::string_view order = boundary.empty() ? "" : "id>='prt_' AND id<?2, ";
      parts.emplace(
          TURNLOG_TRY(database_->Prepare(fmt::format("SELECT * FROM part WHERE message_id=?1 ORDER BY {}id", order))));
    }
    parts->Restart();
    parts->Bind(1, message);
    if (!boundary.empty()) parts->Bind(2, boundary);
    parts_ = &*parts;
    return {};
  }
  bool is_last() const { return next_ >= answers_ && !failed_; }

  const std::shared_ptr<const Database> database_;
  const std::string session_;
  std::vector<Table> tables_;  // the first one is that of the messages
  std::vector<Place> places_;
  std::size_t next_ = 0;
  std::size_t answers_ = 0;  // up to the last message of the assistant
  std::optional<Statement> parts_by_id_, parts_around_restart_;
  Statement* parts_ = nullptr;   // those of the last message
  std::optional<Error> failed_;  // why there are no more
};

// The sessions, each with the one that started it.
Result<Statement> Sessions(const Database& database) {
  if (database.HasTable("session", {"id", "parent_id"})) {
    return database.Prepare("SELECT id, parent_id FROM session ORDER BY id");
  }
  return database.Prepare("SELECT DISTINCT session_id, NULL FROM message ORDER BY 1");
}

}  // namespace

Result<std::vector<RecordFile>> OpencodeDatabase(Source& source) {
  std::shared_ptr<const Database> database = TURNLOG_TRY(Database::Open(source));
  if (!database->HasTable("message", {"id", "session_id", "data"}) ||
      !database->HasTable("part", {"id", "message_id", "data"})) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "no tables with messages and parts of opencode"});
  }
  const RowVersions versions = TURNLOG_TRY(VersionsOf(*database));
  Statement sessions = TURNLOG_TRY(Sessions(*database));
  std::vector<RecordFile> files;
  while (TURNLOG_TRY(sessions.Step())) {
    const std::string session(sessions.Text(0));
    auto current = std::make_shared<OpencodeMessage>();
    RecordFile file{.file = &source.files.front(),
                    .conversation = session,
                    .converter = std::make_unique<OpencodeConverter>(current)};
    file.rows = std::make_unique<OpencodeSessionReader>(std::make_unique<Rows>(database, session), current);
    file.parts.push_back(LayoutPart("parts"));
    file.version = versions.Of(session);
    if (!sessions.Text(1).empty()) file.parts.push_back({.name = "parent", .bytes = std::string(sessions.Text(1))});
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace turnlog
