#include "migrate/sqlite/row_inserts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <ranges>

#include "base/try.h"

namespace turnlog {
namespace {

// No row: nothing seems to refer to the ids of the table ?1.
constexpr std::string_view kFindReference =
    "SELECT 1 FROM sqlite_schema t, pragma_foreign_key_list(t.name) f "
    "WHERE t.type='table' AND lower(f.\"table\")=lower(?1) "
    "UNION ALL SELECT 1 FROM sqlite_schema t, pragma_table_info(t.name) c "
    "WHERE t.type='table' AND c.name LIKE '%message%id%' "
    "UNION ALL SELECT 1 FROM sqlite_schema "
    "WHERE (type='trigger' AND lower(tbl_name)=lower(?1)) OR sql LIKE 'CREATE VIRTUAL %'";

bool HasNoRow(Result<Statement> rows, std::string_view value) {
  if (rows && !value.empty()) rows->Bind(1, value);
  return rows && !rows->Step().value_or(true);
}

template <class AnyDatabase>
bool AreFree(const AnyDatabase& database, std::string_view table) {
  const std::string other =
      fmt::format("SELECT 1 FROM {} WHERE typeof(id)<>'integer' OR id<0 LIMIT 1", QuoteName(table));
  return HasNoRow(database.Prepare(kFindReference), table) && HasNoRow(database.Prepare(other), {});
}

std::int64_t NumberOf(std::string_view id) {
  std::int64_t number = 0;
  (void)std::from_chars(id.data(), id.data() + id.size(), number);
  return number;
}

}  // namespace

bool CanRaiseIds(const Database& database, std::string_view table) { return AreFree(database, table); }
bool CanRaiseIds(const WritableDatabase& database, std::string_view table) { return AreFree(database, table); }

RowInserts::RowInserts(WritableDatabase& database, std::string_view table) : database_(database), table_(table) {}

void RowInserts::Add(const RowChange& change) { after_[NumberOf(change.id)].push_back(&change); }

Status RowInserts::Write() {
  if (!CanRaiseIds(database_, table_)) {
    return std::unexpected(Error{ErrorCode::kConflict, "a row is not inserted: something may refer to ids"});
  }
  TURNLOG_TRY(RaiseIds());
  std::int64_t raised = 0;
  for (const auto& [before, rows] : after_) {
    const std::int64_t like = before + raised;
    for (const RowChange* row : std::views::reverse(rows)) TURNLOG_TRY(Insert(*row, like, before + ++raised));
  }
  return {};
}

// Negative ids in between: a row must not get one that is still in use.
Status RowInserts::RaiseIds() {
  const std::string table = QuoteName(table_);
  std::uint64_t raised = 0;
  for (auto rows = after_.begin(); rows != after_.end(); ++rows) {
    raised += rows->second.size();
    const auto next = std::next(rows);
    const std::int64_t last = next == after_.end() ? INT64_MAX : next->first;
    TURNLOG_TRY(
        database_.Run(fmt::format("UPDATE {} SET id=-id-{} WHERE id>{} AND id<={}", table, raised, rows->first, last)));
  }
  return database_.Run(fmt::format("UPDATE {} SET id=-id WHERE id<0", table));
}

Status RowInserts::Insert(const RowChange& change, std::int64_t like, std::int64_t id) {
  std::string names, values;
  std::vector<std::string_view> texts;
  for (const std::string& column : TURNLOG_TRY(Columns())) {
    const std::string_view comma = names.empty() ? "" : ",";
    const auto changed = std::ranges::find(change.columns, column, &ColumnChange::name);
    const bool is_changed = changed != change.columns.end();
    names += fmt::format("{}{}", comma, QuoteName(column));
    if (is_changed) texts.emplace_back(changed->after);
    values += comma;
    values += column == "id" ? fmt::format("{}", id)
              : is_changed   ? fmt::format("?{}", texts.size())
                             : QuoteName(column);
  }
  const std::string table = QuoteName(table_);
  return database_.Run(
      fmt::format("INSERT INTO {} ({}) SELECT {} FROM {} WHERE id={}", table, names, values, table, like), texts, 1);
}

Result<std::vector<std::string>> RowInserts::Columns() const {
  std::vector<std::string> columns;
  Statement names = TURNLOG_TRY(database_.Prepare("SELECT name FROM pragma_table_info(?1)"));
  names.Bind(1, table_);
  while (TURNLOG_TRY(names.Step())) columns.emplace_back(names.Text(0));
  return columns;
}

}  // namespace turnlog
