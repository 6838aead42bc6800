#include "migrate/opencode/whole_rows.h"

#include <fmt/format.h>

#include "base/try.h"
#include "migrate/opencode/whole_message.h"
#include "migrate/sqlite/row_reader.h"

namespace turnlog {
namespace {

constexpr std::string_view kWholeCreated =
    "coalesce(CASE WHEN json_valid(data) THEN json_extract(data,'$.time.created') END, time_created)";

Result<std::optional<std::int64_t>> FirstNumber(const Database& database, const std::string& sql,
                                                const std::string& session) {
  Statement row = TURNLOG_TRY(database.Prepare(sql));
  row.Bind(1, session);
  if (!TURNLOG_TRY(row.Step()) || row.Text(0).empty()) return std::nullopt;
  return row.Integer(0);
}

// When the last message of version 1 was made; nothing: there is none.
Result<std::optional<std::int64_t>> LastOfVersion1(const Database& database, const std::string& session) {
  if (!database.HasTable("message", {"session_id", "time_created"})) return std::nullopt;
  return FirstNumber(database, "SELECT max(time_created) FROM message WHERE session_id=?1", session);
}

Result<bool> IsOfVersion2(const Database& database, const std::string& session) {
  if (!database.HasTable("session_v2", {"id"})) return false;
  const auto found = TURNLOG_TRY(FirstNumber(database, "SELECT 1 FROM session_v2 WHERE id=?1", session));
  return found.has_value();
}

Result<bool> HasWholeMessages(const Database& database, const std::string& session) {
  const auto found = TURNLOG_TRY(FirstNumber(
      database,
      fmt::format("SELECT max(1) FROM {} WHERE session_id=?1 AND type IN ('user','assistant')", kWholeMessages),
      session));
  return found.has_value();
}

}  // namespace

bool OpencodeWholeRows::AreIn(const Database& database) {
  return database.HasTable(kWholeMessages, {"id", "session_id", "type", "time_created", "data"});
}

Result<OpencodeWholeRows> OpencodeWholeRows::Find(const std::shared_ptr<const Database>& database,
                                                  const std::string& session) {
  OpencodeWholeRows whole;
  if (!AreIn(*database)) return whole;
  const auto last = TURNLOG_TRY(LastOfVersion1(*database, session));
  bool any = TURNLOG_TRY(IsOfVersion2(*database, session));
  if (!any && !last) any = TURNLOG_TRY(HasWholeMessages(*database, session));
  if (!any) return whole;
  const std::string own = last ? fmt::format(" AND {}>{}", kWholeCreated, *last) : std::string();
  whole.others_ = last ? fmt::format(" AND {}<={}", kWholeCreated, *last) : " AND 0";
  const std::string_view order = database->HasTable(kWholeMessages, {"seq"}) ? "seq, id" : "time_created, id";
  const std::string from = fmt::format(" FROM {} WHERE session_id=?1{} ORDER BY {}", kWholeMessages, own, order);
  Statement types = TURNLOG_TRY(database->Prepare("SELECT type" + from));
  types.Bind(1, session);
  for (std::size_t number = 1; TURNLOG_TRY(types.Step()); ++number) {
    if (types.Text(0) == "assistant") whole.answers_ = number;
  }
  whole.rows_.emplace(TURNLOG_TRY(database->Prepare("SELECT *" + from)));
  whole.rows_->Bind(1, session);
  return whole;
}

Result<std::optional<OpencodeWholeRows::Row>> OpencodeWholeRows::Next() {
  if (!rows_ || !TURNLOG_TRY(rows_->Step())) return std::nullopt;
  const bool is_last = ++next_ >= answers_;
  return Row{RowAsJson(kWholeMessages, *rows_), is_last};
}

}  // namespace turnlog
