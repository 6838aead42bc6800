// Statements for several rows at once: a statement costs more than a row.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/sql/connection.h"

namespace turnlog {

// How many of `left` rows the next statement has, up to 32. Few sizes, because each is prepared once for each
// connection.
std::size_t RowsAtOnce(std::size_t left);

// ($1, $2), ($3, $4): each parameter with the cast of its column.
std::string ValuesOf(std::size_t rows, const std::vector<const char*>& casts);

// A statement for each result of RowsAtOnce.
class RowStatement {
 public:
  // INSERT ... VALUES: one row is routed to one node of a distributed engine.
  static RowStatement Insert(std::string_view table, std::size_t columns);
  // `text`: for this many rows.
  RowStatement(std::string_view name, const std::function<std::string(std::size_t rows)>& text);

  // REQUIRES: a result of RowsAtOnce.
  const SqlStatement& For(std::size_t rows) const { return statements_[rows]; }

 private:
  std::vector<SqlStatement> statements_;
};

// Adds calls for all rows. `add` adds the parameters of one.
template <class Row, class AddFn>
void AddRowCalls(std::vector<SqlCall>& calls, const RowStatement& statement, const std::vector<Row>& rows, AddFn add) {
  for (std::size_t done = 0; done < rows.size();) {
    const std::size_t count = RowsAtOnce(rows.size() - done);
    SqlCall& call = calls.emplace_back(SqlCall{&statement.For(count), {}});
    for (const std::size_t end = done + count; done < end; ++done) add(call.params, rows[done]);
  }
}

}  // namespace turnlog
