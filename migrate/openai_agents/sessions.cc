#include "migrate/openai_agents/sessions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/try.h"
#include "migrate/openai_agents/row_converter.h"
#include "migrate/openai_agents/session_tables.h"
#include "migrate/sqlite/row_reader.h"
#include "migrate/sqlite/row_versions.h"

namespace turnlog {
namespace {

constexpr std::string_view kMain = "main", kTurnUsage = "turn_usage", kStructure = "message_structure";

// The rows of one branch; prepared when they are read.
class BranchRows {
 public:
  BranchRows(std::shared_ptr<const Database> database, SessionTables tables, std::string session,
             std::string_view branch)
      : database_(std::move(database)), tables_(std::move(tables)), session_(std::move(session)), branch_(branch) {}

  // A message has its row in message_structure as its last field, the first one if it has several in the branch.
  Result<std::optional<std::string>> operator()() {
    if (!messages_) TURNLOG_TRY(Begin());
    if (!TURNLOG_TRY(messages_->Step())) return std::nullopt;
    std::string more;
    if (structure_) {
      structure_->Restart();
      structure_->Bind(1, messages_->Text(0));
      if (TURNLOG_TRY(structure_->Step())) more = R"(,"structure":)" + RowAsJson("message_structure", *structure_);
    }
    return RowAsJson(tables_.messages, *messages_, more);
  }

 private:
  Status Begin() {
    messages_ = std::make_shared<Statement>(TURNLOG_TRY(database_->Prepare(MessagesQuery())));
    messages_->Bind(1, session_);
    if (!tables_.has_branches) return {};
    messages_->Bind(2, branch_);
    structure_ = std::make_shared<Statement>(TURNLOG_TRY(
        database_->Prepare("SELECT * FROM message_structure WHERE message_id=?1 AND branch_id=?2 ORDER BY rowid")));
    structure_->Bind(2, branch_);
    return {};
  }

  // A message that is in no branch belongs to the first one.
  std::string MessagesQuery() const {
    const std::string table = QuoteName(tables_.messages);
    if (!tables_.has_branches) return fmt::format("SELECT * FROM {} WHERE session_id=?1 ORDER BY id", table);
    if (branch_ != kMain) {
      return fmt::format(
          "SELECT m.* FROM message_structure s JOIN {} m ON m.id=s.message_id "
          "WHERE s.session_id=?1 AND s.branch_id=?2 AND s.rowid IN (SELECT min(rowid) FROM message_structure "
          "WHERE session_id=?1 AND branch_id=?2 GROUP BY message_id) ORDER BY s.sequence_number, s.id",
          table);
    }
    return fmt::format(
        "SELECT m.* FROM {} m WHERE m.session_id=?1 AND (EXISTS (SELECT 1 FROM message_structure s "
        "WHERE s.message_id=m.id AND s.branch_id=?2) OR NOT EXISTS (SELECT 1 FROM message_structure s "
        "WHERE s.message_id=m.id)) ORDER BY m.id",
        table);
  }

  std::shared_ptr<const Database> database_;
  SessionTables tables_;
  std::string session_, branch_;
  std::shared_ptr<Statement> messages_, structure_;  // shared because a std::function can be copied
};

// Rows of a table that are kept beside the messages, each named after some of its columns.
class RowsBeside {
 public:
  // `condition`: which of the session's rows, and their order.
  RowsBeside(std::shared_ptr<const Database> database, std::string session, std::string_view table,
             std::vector<std::string_view> keys, std::string condition)
      : database_(std::move(database)),
        session_(std::move(session)),
        table_(table),
        keys_(std::move(keys)),
        condition_(std::move(condition)) {}

  Result<std::optional<RowReader::NamedRow>> operator()() {
    if (!rows_) {
      rows_ = std::make_shared<Statement>(
          TURNLOG_TRY(database_->Prepare(fmt::format("SELECT * FROM {} WHERE session_id=?1 {}", table_, condition_))));
      rows_->Bind(1, session_);
    }
    if (!TURNLOG_TRY(rows_->Step())) return std::nullopt;
    std::string name(table_);
    for (int column = 0; column < rows_->columns(); ++column) {
      const bool is_key = std::ranges::find(keys_, rows_->Name(column)) != keys_.end();
      if (is_key) name += "/" + std::string(rows_->Text(column));
    }
    return RowReader::NamedRow{std::move(name), RowAsJson(table_, *rows_) + "\n"};
  }

 private:
  std::shared_ptr<const Database> database_;
  std::string session_;
  std::string_view table_;
  std::vector<std::string_view> keys_;
  std::string condition_;
  std::shared_ptr<Statement> rows_;  // shared because a std::function can be copied
};

// The sessions of one table of messages.
class Sessions {
 public:
  // `qualifier`: precedes the names of its sessions and the ids of its rows, which other tables may have, too.
  Sessions(Source& source, std::shared_ptr<const Database> database, SessionTables tables, std::string qualifier)
      : source_(source), database_(std::move(database)), tables_(std::move(tables)), qualifier_(std::move(qualifier)) {
    AddVersions();
  }

  Status AddTo(std::vector<RecordFile>& files) {
    for (const std::string& session : TURNLOG_TRY(Texts(SessionsQuery(), {}))) {
      files.push_back(TURNLOG_TRY(Read(session, kMain)));
      for (const std::string& branch : TURNLOG_TRY(BranchesOf(session))) {
        files.push_back(TURNLOG_TRY(Read(session, branch)));
      }
    }
    return {};
  }

 private:
  // Whether no message gets the id of one that was removed.
  bool NumbersOnce() const {
    auto rows =
        database_->Prepare("SELECT count(*) FROM sqlite_schema WHERE name=?1 AND upper(sql) LIKE '%AUTOINCREMENT%'");
    if (!rows) return false;
    rows->Bind(1, tables_.messages);
    return rows->Step().value_or(false) && rows->Integer(0) > 0;
  }

  // Of a session with all its branches, which have messages in common. Messages are only added and removed, but every
  // database counts their ids from 1: the session's times and the first message of all show that it is the same one, or
  // if these do not suffice, what it says.
  void AddVersions() {
    const std::string messages = QuoteName(tables_.messages);
    versions_.Add(*database_,
                  fmt::format("SELECT session_id, count(*), max(id) FROM {} GROUP BY session_id", messages));
    if (tables_.sessions.empty() || !NumbersOnce()) {
      versions_.Add(*database_,
                    fmt::format("SELECT session_id, * FROM {0} WHERE id IN (SELECT min(id) FROM {0} GROUP BY "
                                "session_id UNION ALL SELECT max(id) FROM {0} GROUP BY session_id) ORDER BY id",
                                messages));
    }
    if (!tables_.sessions.empty()) {
      versions_.Add(*database_,
                    fmt::format("SELECT s.session_id, s.*, first.* FROM {} s, (SELECT length(message_data), "
                                "substr(message_data, 1, 1000) FROM {} ORDER BY id LIMIT 1) first",
                                QuoteName(tables_.sessions), messages));
    }
    if (tables_.has_usage) versions_.Add(*database_, "SELECT session_id, * FROM turn_usage");
    if (!tables_.has_branches) return;
    versions_.Add(*database_, "SELECT session_id, count(*), max(id) FROM message_structure GROUP BY session_id");
  }

  std::string SessionsQuery() const {
    std::string all = fmt::format("SELECT DISTINCT session_id FROM {}", QuoteName(tables_.messages));
    const auto add = [&](std::string_view table) { all += " UNION SELECT session_id FROM " + QuoteName(table); };
    if (!tables_.sessions.empty()) add(tables_.sessions);
    if (tables_.has_usage) add(kTurnUsage);
    if (tables_.has_branches) add(kStructure);
    return all + " ORDER BY 1";
  }

  Result<std::vector<std::string>> BranchesOf(const std::string& session) const {
    if (!tables_.has_branches) return std::vector<std::string>();
    return Texts(
        "SELECT branch_id FROM message_structure WHERE session_id=?1 AND branch_id<>'main' GROUP BY 1 ORDER BY min(id)",
        session);
  }

  // The first column of a query about a session.
  Result<std::vector<std::string>> Texts(const std::string& sql, const std::string& session) const {
    Statement rows = TURNLOG_TRY(database_->Prepare(sql));
    if (!session.empty()) rows.Bind(1, session);
    std::vector<std::string> texts;
    while (TURNLOG_TRY(rows.Step())) texts.emplace_back(rows.Text(0));
    return texts;
  }

  // All rows of a table that belong to the session, one a line.
  Result<std::string> RowsOf(std::string_view table, const std::string& session) const {
    Statement rows =
        TURNLOG_TRY(database_->Prepare(fmt::format("SELECT * FROM {} WHERE session_id=?1", QuoteName(table))));
    rows.Bind(1, session);
    std::string lines;
    while (TURNLOG_TRY(rows.Step())) lines += RowAsJson(table, rows) + "\n";
    return lines;
  }

  Result<RecordFile> Read(const std::string& session, std::string_view branch) const {
    const bool main = branch == kMain;
    const std::string name = qualifier_ + session;
    const bool has_turns = main && tables_.has_usage && HasTurns();
    RecordFile file{.file = &source_.files.front(),
                    .conversation = main ? name : fmt::format("{}/{}", name, branch),
                    .converter = std::make_unique<AgentsRowConverter>(qualifier_),
                    .parts = {},
                    .lists = {},
                    .rows = std::make_unique<RowReader>(BranchRows(database_, tables_, session, branch),
                                                        main ? RowsBesideMessages(session, has_turns) : nullptr)};
    file.version = versions_.Of(session);
    const bool has_header = main && !tables_.sessions.empty();
    if (has_header) AddPart(kHeaderPart, TURNLOG_TRY(RowsOf(tables_.sessions, session)), file);
    if (main && tables_.has_usage && !has_turns) {
      AddPart(kTurnUsage, TURNLOG_TRY(RowsOf(kTurnUsage, session)), file);
    }
    if (!main) file.parts.push_back({.conversation = {}, .name = std::string(kParentPart), .bytes = name});
    return file;
  }

  // The tokens that the turns have cost, each named after its turn, because the SDK replaces the row; and the places of
  // messages that are missing, as after clear_session, or have another place in the branch.
  RowReader::NextNamed RowsBesideMessages(const std::string& session, bool has_turns) const {
    std::vector<RowsBeside> all;
    if (has_turns) {
      all.emplace_back(database_, session, kTurnUsage, std::vector<std::string_view>{"branch_id", "user_turn_number"},
                       "ORDER BY branch_id, user_turn_number, id");
    }
    if (tables_.has_branches) {
      all.emplace_back(database_, session, kStructure, std::vector<std::string_view>{"id"},
                       fmt::format("AND (NOT EXISTS (SELECT 1 FROM {} m WHERE m.id=message_id) OR rowid NOT IN (SELECT "
                                   "min(rowid) FROM message_structure WHERE session_id=?1 GROUP BY message_id, "
                                   "branch_id)) ORDER BY rowid",
                                   QuoteName(tables_.messages)));
    }
    return [all = std::move(all), next = std::size_t{0}]() mutable -> Result<std::optional<RowReader::NamedRow>> {
      for (; next < all.size(); ++next) {
        auto row = all[next]();
        if (!row || *row) return row;
      }
      return std::nullopt;
    };
  }

  // Whether each turn has one row, at most.
  bool HasTurns() const {
    if (!database_->HasTable(kTurnUsage, {"id", "branch_id", "user_turn_number"})) return false;
    auto repeated = database_->Prepare(
        "SELECT 1 FROM turn_usage GROUP BY session_id, branch_id, user_turn_number HAVING count(*)>1 LIMIT 1");
    return repeated && !repeated->Step().value_or(true);
  }

  static void AddPart(std::string_view name, std::string rows, RecordFile& file) {
    if (rows.empty()) return;
    SourcePart part{.conversation = {}, .name = std::string(name), .bytes = std::move(rows)};
    part.size = part.bytes.size();
    file.parts.push_back(std::move(part));
  }

  Source& source_;
  const std::shared_ptr<const Database> database_;
  const SessionTables tables_;
  const std::string qualifier_;
  RowVersions versions_;
};

// What a session is called must not depend on which tables there are besides, or will be.
Result<std::vector<RecordFile>> ListSessions(Source& source, const std::shared_ptr<const Database>& database,
                                             const std::vector<SessionTables>& found) {
  std::vector<RecordFile> files;
  for (const SessionTables& tables : found) {
    std::string qualifier = tables.messages == kUsualMessages ? std::string() : tables.messages + "/";
    TURNLOG_TRY(Sessions(source, database, tables, std::move(qualifier)).AddTo(files));
  }
  RefuseRepeatedNames("session", files);
  return files;
}

// An index, or a table beside that of the messages, may be all that is damaged.
Result<std::vector<RecordFile>> SalvageSessions(Source& source, const std::vector<SessionTables>& tables,
                                                const Error& damage) {
  const std::shared_ptr<const Database> copy = TURNLOG_TRY(Database::OpenCopy(source));
  std::vector<RecordFile> files = TURNLOG_TRY(ListSessions(source, copy, tables));
  if (files.empty()) return std::unexpected(damage);
  for (RecordFile& file : files) file.is_salvaged = true;
  return files;
}

}  // namespace

Result<std::vector<RecordFile>> AgentsSessions(Source& source) {
  const std::shared_ptr<const Database> database = TURNLOG_TRY(Database::Open(source));
  const std::vector<SessionTables> tables = TURNLOG_TRY(FindSessionTables(*database));
  auto files = ListSessions(source, database, tables);
  const bool damaged = !files && files.error().code == ErrorCode::kCorruption && !database->is_salvaged();
  return damaged ? SalvageSessions(source, tables, files.error()) : std::move(files);
}

Result<std::vector<RecordFile>> UsualAgentsSessions(Source& source) {
  const std::shared_ptr<const Database> database = TURNLOG_TRY(Database::Open(source));
  return ListSessions(source, database, TURNLOG_TRY(FindUsualSessionTables(*database)));
}

}  // namespace turnlog
