#include "migrate/openai_agents/sessions.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/try.h"
#include "migrate/openai_agents/row_converter.h"
#include "migrate/sqlite/row_reader.h"
#include "migrate/sqlite/row_versions.h"

namespace turnlog {
namespace {

constexpr std::string_view kMain = "main";

// The rows of one branch; prepared when they are read.
class BranchRows {
 public:
  BranchRows(std::shared_ptr<const Database> database, std::string session, std::string_view branch, bool has_branches)
      : database_(std::move(database)), session_(std::move(session)), branch_(branch), has_branches_(has_branches) {}

  // A message has its row in message_structure as its last field.
  Result<std::optional<std::string>> operator()() {
    if (!messages_) TURNLOG_TRY(Begin());
    if (!TURNLOG_TRY(messages_->Step())) return std::nullopt;
    std::string more;
    if (structure_) {
      structure_->Restart();
      structure_->Bind(1, messages_->Text(0));
      if (TURNLOG_TRY(structure_->Step())) more = R"(,"structure":)" + RowAsJson("message_structure", *structure_);
    }
    return RowAsJson("agent_messages", *messages_, more);
  }

 private:
  Status Begin() {
    messages_ = std::make_shared<Statement>(TURNLOG_TRY(database_->Prepare(MessagesQuery())));
    messages_->Bind(1, session_);
    if (!has_branches_) return {};
    messages_->Bind(2, branch_);
    structure_ = std::make_shared<Statement>(
        TURNLOG_TRY(database_->Prepare("SELECT * FROM message_structure WHERE message_id=?1 AND branch_id=?2")));
    structure_->Bind(2, branch_);
    return {};
  }

  // A message that is in no branch belongs to the first one.
  std::string_view MessagesQuery() const {
    if (!has_branches_) return "SELECT * FROM agent_messages WHERE session_id=?1 ORDER BY id";
    if (branch_ != kMain) {
      return "SELECT m.* FROM message_structure s JOIN agent_messages m ON m.id=s.message_id "
             "WHERE s.session_id=?1 AND s.branch_id=?2 ORDER BY s.sequence_number, s.id";
    }
    return "SELECT m.* FROM agent_messages m WHERE m.session_id=?1 AND (EXISTS (SELECT 1 FROM message_structure s "
           "WHERE s.message_id=m.id AND s.branch_id=?2) OR NOT EXISTS (SELECT 1 FROM message_structure s "
           "WHERE s.message_id=m.id)) ORDER BY m.id";
  }

  std::shared_ptr<const Database> database_;
  std::string session_, branch_;
  bool has_branches_;
  std::shared_ptr<Statement> messages_, structure_;  // shared because a std::function can be copied
};

class Sessions {
 public:
  Sessions(Source& source, std::shared_ptr<const Database> database)
      : source_(source),
        database_(std::move(database)),
        has_sessions_(database_->HasTable("agent_sessions", {"session_id"})),
        has_branches_(database_->HasTable("message_structure", {"session_id", "message_id", "branch_id"})),
        has_usage_(database_->HasTable("turn_usage", {"session_id"})) {
    AddVersions();
  }

  Result<std::vector<RecordFile>> List() {
    for (const std::string& session : TURNLOG_TRY(Texts(SessionsQuery(), {}))) {
      TURNLOG_TRY(Add(session, kMain));
      for (const std::string& branch : TURNLOG_TRY(BranchesOf(session))) TURNLOG_TRY(Add(session, branch));
    }
    return std::move(files_);
  }

 private:
  // Whether no message gets the id of one that was removed.
  bool NumbersOnce() const {
    auto rows = database_->Prepare(
        "SELECT count(*) FROM sqlite_schema WHERE name='agent_messages' AND upper(sql) LIKE '%AUTOINCREMENT%'");
    return rows && rows->Step().value_or(false) && rows->Integer(0) > 0;
  }

  // Of a session with all its branches, which have messages in common. Messages are only added and removed, but every
  // database counts their ids from 1: the session's times and the first message of all show that it is the same one, or
  // if these do not suffice, what it says.
  void AddVersions() {
    versions_.Add(*database_, "SELECT session_id, count(*), max(id) FROM agent_messages GROUP BY session_id");
    if (!has_sessions_ || !NumbersOnce()) {
      versions_.Add(*database_,
                    "SELECT session_id, * FROM agent_messages WHERE id IN (SELECT min(id) FROM agent_messages GROUP BY "
                    "session_id UNION ALL SELECT max(id) FROM agent_messages GROUP BY session_id) ORDER BY id");
    }
    if (has_sessions_) {
      versions_.Add(*database_,
                    "SELECT s.session_id, s.*, first.* FROM agent_sessions s, (SELECT length(message_data), "
                    "substr(message_data, 1, 1000) FROM agent_messages ORDER BY id LIMIT 1) first");
    }
    if (has_usage_) versions_.Add(*database_, "SELECT session_id, * FROM turn_usage");
    if (!has_branches_) return;
    versions_.Add(*database_, "SELECT session_id, count(*), max(id) FROM message_structure GROUP BY session_id");
  }

  std::string SessionsQuery() const {
    const std::string_view all = "SELECT DISTINCT session_id FROM agent_messages";
    return has_sessions_ ? fmt::format("SELECT session_id FROM agent_sessions UNION {} ORDER BY 1", all)
                         : fmt::format("{} ORDER BY 1", all);
  }

  Result<std::vector<std::string>> BranchesOf(const std::string& session) const {
    if (!has_branches_) return std::vector<std::string>();
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

  Status Add(const std::string& session, std::string_view branch) {
    const bool main = branch == kMain;
    RecordFile file{.file = &source_.files.front(),
                    .conversation = main ? session : fmt::format("{}/{}", session, branch),
                    .converter = std::make_unique<AgentsRowConverter>(),
                    .parts = {},
                    .lists = {},
                    .rows = std::make_unique<RowReader>(BranchRows(database_, session, branch, has_branches_))};
    file.version = versions_.Of(session);
    if (main && has_sessions_) AddPart(kHeaderPart, TURNLOG_TRY(RowsOf("agent_sessions", session)), file);
    if (main && has_usage_) AddPart("turn_usage", TURNLOG_TRY(RowsOf("turn_usage", session)), file);
    if (!main) file.parts.push_back({.conversation = {}, .name = "parent", .bytes = session});
    files_.push_back(std::move(file));
    return {};
  }

  static void AddPart(std::string_view name, std::string rows, RecordFile& file) {
    if (rows.empty()) return;
    SourcePart part{.conversation = {}, .name = std::string(name), .bytes = std::move(rows)};
    part.size = part.bytes.size();
    file.parts.push_back(std::move(part));
  }

  Source& source_;
  const std::shared_ptr<const Database> database_;
  const bool has_sessions_, has_branches_, has_usage_;
  RowVersions versions_;
  std::vector<RecordFile> files_;
};

}  // namespace

Result<std::vector<RecordFile>> AgentsSessions(Source& source) {
  std::shared_ptr<const Database> database = TURNLOG_TRY(Database::Open(source));
  if (!database->HasTable("agent_messages", {"id", "session_id", "message_data"})) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, "no table agent_messages with sessions of the Agents SDK"});
  }
  return Sessions(source, std::move(database)).List();
}

}  // namespace turnlog
