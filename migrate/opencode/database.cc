#include "migrate/opencode/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/try.h"
#include "migrate/opencode/converter.h"
#include "migrate/opencode/id_order.h"
#include "migrate/opencode/session_reader.h"
#include "migrate/opencode/whole_message.h"
#include "migrate/opencode/whole_rows.h"
#include "migrate/sqlite/row_reader.h"
#include "migrate/sqlite/row_versions.h"

namespace turnlog {
namespace {

// Whose rows belong to sessions, too: their lists of things to do, and what later versions add.
struct OtherTable {
  std::string name;
  // The column that is its primary key: its rows are kept one by one. Empty: there is none, or it is several columns,
  // as in the list of things to do, which is replaced as a whole.
  std::string key;
  std::string condition{};  // which of its rows
};

// Parts whose message is missing are such rows.
OtherTable PartsWithoutMessage() {
  return {"part", "id", " AND NOT EXISTS (SELECT 1 FROM message WHERE message.id=part.message_id)"};
}

Result<std::vector<OtherTable>> OtherTables(const Database& database) {
  Statement rows = TURNLOG_TRY(database.Prepare(
      "SELECT t.name, (SELECT CASE WHEN count(*)=1 THEN max(k.name) END FROM pragma_table_info(t.name) k WHERE k.pk>0) "
      "FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type='table' "
      "AND c.name='session_id' AND t.name NOT IN ('session','session_v2','message','part') ORDER BY 1"));
  std::vector<OtherTable> tables;
  while (TURNLOG_TRY(rows.Step())) tables.push_back({std::string(rows.Text(0)), std::string(rows.Text(1))});
  return tables;
}

// What shows whether rows were added, removed or changed.
std::string ChangesOf(const Database& database, std::string_view table) {
  const std::string_view rowid = database.HasRowids(table) ? ", max(rowid)" : "";
  return fmt::format("SELECT session_id, count(*), max(id){}, max(time_updated) FROM {} GROUP BY session_id", rowid,
                     QuoteName(table));
}

// opencode replaces rows, or writes the time of the change into them.
Result<RowVersions> VersionsOf(const Database& database) {
  RowVersions versions;
  for (const std::string_view table : {"session", "session_v2"}) {
    if (database.HasTable(table, {"id"})) versions.Add(database, fmt::format("SELECT id, * FROM {}", table));
  }
  for (const OtherTable& table : TURNLOG_TRY(OtherTables(database))) {
    const bool has_times = table.key == "id" && database.HasTable(table.name, {"time_updated"});
    versions.Add(database, has_times ? ChangesOf(database, table.name)
                                     : fmt::format("SELECT session_id, * FROM {}", QuoteName(table.name)));
  }
  for (const std::string_view table : {"message", "part"}) {
    if (database.HasTable(table, {"session_id"})) versions.Add(database, ChangesOf(database, table));
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
    for (const std::string_view table : {"session", "session_v2"}) {
      if (!database_->HasTable(table, {"id"})) continue;
      Statement row = TURNLOG_TRY(database_->Prepare(fmt::format("SELECT * FROM {} WHERE id=?1", table)));
      row.Bind(1, session_);
      if (TURNLOG_TRY(row.Step())) lines += RowAsJson(table, row) + "\n";
    }
    whole_ = TURNLOG_TRY(OpencodeWholeRows::Find(database_, session_));
    for (OtherTable& table : TURNLOG_TRY(OtherTables(*database_))) {
      if (table.name == kWholeMessages) table.condition = whole_.others();
      if (!table.key.empty()) {
        keyed_.push_back(std::move(table));
        continue;
      }
      Statement rows = TURNLOG_TRY(RowsOf(table));
      while (TURNLOG_TRY(rows.Step())) lines += RowAsJson(table.name, rows) + "\n";
    }
    if (HasMessageTable() && database_->HasTable("part", {"session_id"})) keyed_.push_back(PartsWithoutMessage());
    return lines;
  }

  Result<std::optional<Row>> NextRow() override {
    for (; !keyed_.empty(); keyed_.pop_front(), keyed_rows_.reset()) {
      const OtherTable& table = keyed_.front();
      if (!keyed_rows_) keyed_rows_.emplace(TURNLOG_TRY(RowsOf(table)));
      if (!TURNLOG_TRY(keyed_rows_->Step())) continue;
      return Row{NameOfRow(table), RowAsJson(table.name, *keyed_rows_) + "\n"};
    }
    return std::nullopt;
  }

  Result<std::optional<Text>> Next() override {
    if (!rows_ && HasMessageTable()) TURNLOG_TRY(FindMessages());
    if (parts_ != nullptr && TURNLOG_TRY(parts_->Step()))
      return Text{.is_last = is_last(), .lead = {}, .text = RowAsJson("part", *parts_), .trail = "\n"};
    const std::string row = next_ < messages_.size() ? ReadMessage(next_) : std::string();
    if (row.empty()) return failed_ ? std::unexpected(*failed_) : NextWhole();
    TURNLOG_TRY(FindParts(messages_[next_++].id));
    return Text{.is_message = true, .is_last = is_last(), .lead = {}, .text = row, .trail = "\n"};
  }

 private:
  Result<Statement> RowsOf(const OtherTable& table) const {
    const std::string order = table.key.empty() ? std::string() : " ORDER BY " + QuoteName(table.key);
    Statement rows = TURNLOG_TRY(database_->Prepare(
        fmt::format("SELECT * FROM {} WHERE session_id=?1{}{}", QuoteName(table.name), table.condition, order)));
    rows.Bind(1, session_);
    return rows;
  }

  // Several rows may have NULL as their key.
  std::string NameOfRow(const OtherTable& table) {
    return names_.Number(fmt::format("{}/{}", table.name, keyed_rows_->Text(keyed_rows_->ColumnOf(table.key))));
  }

  // A message in the order in which opencode shows them.
  struct Place {
    std::int64_t time = 0;
    std::string id, row;
  };

  // Their ids ascend with the time, but began again at 0 once. That one cannot be read costs those before it nothing.
  Status FindMessages() {
    const std::string_view column = database_->HasRowids("message") ? "rowid" : "id";
    rows_.emplace(TURNLOG_TRY(database_->Prepare(fmt::format("SELECT * FROM message WHERE {}=?1", column))));
    const bool has_time = database_->HasTable("message", {"time_created"});
    const std::string_view time =
        has_time ? "time_created" : "CASE WHEN json_valid(data) THEN json_extract(data,'$.time.created') END";
    Statement places = TURNLOG_TRY(database_->Prepare(
        fmt::format("SELECT {}, id, {} FROM message WHERE session_id=?1 ORDER BY id", time, column)));
    places.Bind(1, session_);
    auto found = places.Step();
    for (; found && *found; found = places.Step()) {
      messages_.push_back({places.Integer(0), std::string(places.Text(1)), std::string(places.Text(2))});
    }
    if (!found) failed_ = found.error();
    std::ranges::sort(messages_, {},
                      [](const Place& place) { return std::pair(place.time, std::string_view(place.id)); });
    for (answers_ = messages_.size(); answers_ > 0; --answers_) {
      if (IsAnswer(ReadMessage(answers_ - 1))) break;
    }
    return {};
  }

  // Empty: it cannot be read, and what follows neither.
  std::string ReadMessage(std::size_t at) {
    rows_->Restart();
    rows_->Bind(1, messages_[at].row);
    const auto found = rows_->Step();
    if (!found) failed_ = found.error();
    return found && *found ? RowAsJson("message", *rows_) : std::string();
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

  // After those of version 1, if there are any.
  Result<std::optional<Text>> NextWhole() {
    auto row = TURNLOG_TRY(whole_.Next());
    if (!row) return std::nullopt;
    return Text{.is_whole = true, .is_last = row->is_last, .lead = {}, .text = std::move(row->text), .trail = "\n"};
  }

  bool HasMessageTable() const { return database_->HasTable("message", {"id", "session_id", "data"}); }
  bool is_last() const { return next_ >= answers_ && !failed_ && !whole_.has_answers(); }

  const std::shared_ptr<const Database> database_;
  const std::string session_;
  std::deque<OtherTable> keyed_;         // those whose rows are still to be read one by one
  std::optional<Statement> keyed_rows_;  // of the first one
  SameNames names_;                      // of these rows
  std::vector<Place> messages_;
  std::size_t next_ = 0;
  std::size_t answers_ = 0;        // up to the last message of the assistant
  std::optional<Statement> rows_;  // a message by its place
  std::optional<Statement> parts_by_id_, parts_around_restart_;
  Statement* parts_ = nullptr;   // those of the last message
  std::optional<Error> failed_;  // why there are no more
  OpencodeWholeRows whole_;
};

// The tables of sessions, in which a session may be twice.
std::vector<std::string_view> SessionTables(const Database& database) {
  std::vector<std::string_view> tables;
  for (const std::string_view table : {"session", "session_v2"}) {
    if (database.HasTable(table, {"id", "parent_id"})) tables.push_back(table);
  }
  return tables;
}

// The sessions, each with the one that started it.
Result<Statement> Sessions(const Database& database) {
  const std::vector<std::string_view> tables = SessionTables(database);
  if (tables.empty()) return database.Prepare("SELECT DISTINCT session_id, NULL FROM message ORDER BY 1");
  if (tables.size() == 1)
    return database.Prepare(fmt::format("SELECT id, parent_id FROM {} ORDER BY id", tables.front()));
  return database.Prepare(
      "SELECT id, max(parent_id) FROM (SELECT id, parent_id FROM session UNION SELECT id, parent_id FROM session_v2) "
      "GROUP BY id ORDER BY id");
}

// The sessions that only rows of other tables name.
Result<Statement> SessionsOfRows(const Database& database) {
  std::string all = "SELECT '' AS id";
  for (const std::string_view table : {"message", "part"}) {
    if (database.HasTable(table, {"session_id"})) all += fmt::format(" UNION SELECT session_id FROM {}", table);
  }
  for (const OtherTable& table : TURNLOG_TRY(OtherTables(database))) {
    all += " UNION SELECT session_id FROM " + QuoteName(table.name);
  }
  std::string known;
  for (const std::string_view table : SessionTables(database)) {
    known += fmt::format("{}SELECT id FROM {}", known.empty() ? "" : " UNION ", table);
  }
  if (known.empty()) known = "SELECT session_id FROM message";
  return database.Prepare(fmt::format("SELECT id FROM ({}) WHERE id<>'' AND id NOT IN ({}) ORDER BY 1", all, known));
}

}  // namespace

Result<std::vector<RecordFile>> OpencodeDatabase(Source& source) {
  std::shared_ptr<const Database> database = TURNLOG_TRY(Database::Open(source));
  const bool has_parts = database->HasTable("message", {"id", "session_id", "data"}) &&
                         database->HasTable("part", {"id", "message_id", "data"});
  const bool has_whole = OpencodeWholeRows::AreIn(*database) && database->HasTable("session_v2", {"id", "parent_id"});
  if (!has_parts && !has_whole) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "no tables with messages and parts of opencode"});
  }
  const RowVersions versions = TURNLOG_TRY(VersionsOf(*database));
  std::vector<RecordFile> files;
  const auto add = [&](const std::string& session, std::string_view parent) {
    auto current = std::make_shared<OpencodeMessage>();
    RecordFile file{.file = &source.files.front(),
                    .conversation = session,
                    .converter = std::make_unique<OpencodeConverter>(current)};
    file.rows = std::make_unique<OpencodeSessionReader>(std::make_unique<Rows>(database, session), current);
    file.parts.push_back(LayoutPart("parts"));
    file.version = versions.Of(session);
    if (!parent.empty()) file.parts.push_back({.name = "parent", .bytes = std::string(parent)});
    files.push_back(std::move(file));
  };
  Statement sessions = TURNLOG_TRY(Sessions(*database));
  while (TURNLOG_TRY(sessions.Step())) add(std::string(sessions.Text(0)), sessions.Text(1));
  TURNLOG_TRY(
      ListOthers(SessionsOfRows(*database), [&](const Statement& row) { add(std::string(row.Text(0)), {}); }, files));
  return files;
}

}  // namespace turnlog
