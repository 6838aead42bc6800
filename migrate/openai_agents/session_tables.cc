#include "migrate/openai_agents/session_tables.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::string_view kUsualSessions = "agent_sessions";

std::unexpected<Error> Unclear(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

bool HoldsMessages(const Database& database, std::string_view table) {
  return database.HasTable(table, {"id", "session_id", "message_data"});
}

// Other products have tables with these columns, too.
bool MayHoldSessions(const Database& database, std::string_view table) {
  return database.HasTable(table, {"session_id", "created_at", "updated_at"}) && !HoldsMessages(database, table);
}

// Of a damaged database, those that are listed before the damage.
Result<std::vector<std::string>> TablesThat(bool (*hold)(const Database&, std::string_view), const Database& database) {
  Statement rows = TURNLOG_TRY(database.Prepare("SELECT name FROM sqlite_schema WHERE type='table' ORDER BY rowid"));
  std::vector<std::string> tables;
  while (rows.Step().value_or(false)) {
    if (hold(database, rows.Text(0))) tables.emplace_back(rows.Text(0));
  }
  return tables;
}

// The table that a column refers to: the SDK declares these foreign keys.
std::optional<std::string> TargetOf(const Database& database, std::string_view table, std::string_view column) {
  auto rows = database.Prepare(
      "SELECT t.name FROM pragma_foreign_key_list(?1) f, sqlite_schema t "
      "WHERE f.\"from\"=?2 AND t.type='table' AND t.name=f.\"table\" COLLATE NOCASE");
  if (!rows) return std::nullopt;
  rows->Bind(1, table);
  rows->Bind(2, column);
  if (!rows->Step().value_or(false)) return std::nullopt;
  return std::string(rows->Text(0));
}

// Finds the other tables that belong to one of these tables of messages.
class TableFinder {
 public:
  TableFinder(const Database& database, std::vector<std::string> messages)
      : database_(database), messages_(std::move(messages)) {}

  Result<std::vector<SessionTables>> Find() const {
    std::vector<SessionTables> found;
    for (const std::string& messages : messages_) {
      SessionTables& tables = found.emplace_back();
      tables.messages = messages;
      tables.sessions = TURNLOG_TRY(SessionsOf(messages));
      tables.has_branches = database_.HasTable("message_structure", {"session_id", "message_id", "branch_id"}) &&
                            Belongs("message_structure", "message_id", messages, tables);
      tables.has_usage = database_.HasTable("turn_usage", {"session_id"}) &&
                         Belongs("turn_usage", "session_id", tables.sessions, tables);
    }
    return found;
  }

 private:
  Result<std::string> SessionsOf(const std::string& messages) const {
    auto target = TargetOf(database_, messages, "session_id");
    if (target && database_.HasTable(*target, {"session_id"})) return *std::move(target);
    if (messages == kUsualMessages) {
      return std::string(database_.HasTable(kUsualSessions, {"session_id"}) ? kUsualSessions : std::string_view());
    }
    std::vector<std::string> tables = TURNLOG_TRY(TablesThat(MayHoldSessions, database_));
    const bool is_clear = tables.size() == 1 && messages_.size() == 1;
    return is_clear ? std::move(tables.front()) : std::string();
  }

  // Whether a table that has the same name in every database is that of these messages.
  bool Belongs(std::string_view table, std::string_view column, const std::string& target,
               const SessionTables& tables) const {
    if (const auto found = TargetOf(database_, table, column)) return *found == target;
    return messages_.size() == 1 || tables.messages == kUsualMessages;
  }

  const Database& database_;
  const std::vector<std::string> messages_;
};

}  // namespace

Result<std::vector<SessionTables>> FindSessionTables(const Database& database) {
  std::vector<std::string> messages = TURNLOG_TRY(TablesThat(HoldsMessages, database));
  if (messages.empty()) {
    return Unclear("no table has the columns id, session_id and message_data of the Agents SDK's messages");
  }
  return TableFinder(database, std::move(messages)).Find();
}

Result<std::vector<SessionTables>> FindUsualSessionTables(const Database& database) {
  if (!HoldsMessages(database, kUsualMessages)) {
    return Unclear(fmt::format("no table {} with sessions of the Agents SDK", kUsualMessages));
  }
  return TableFinder(database, {std::string(kUsualMessages)}).Find();
}

}  // namespace turnlog
