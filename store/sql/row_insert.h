// Statements that insert several rows at once: a statement costs more than a row.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/sql/connection.h"

namespace turnlog {

// How many of `left` rows the next statement inserts, up to 32. Few sizes, because each is prepared once for each
// connection.
std::size_t RowsAtOnce(std::size_t left);

// ($1, $2), ($3, $4): each parameter with the cast of its column.
std::string ValuesOf(std::size_t rows, const std::vector<const char*>& casts);

// A statement for each result of RowsAtOnce.
class RowInsert {
 public:
  // INSERT ... VALUES: one row is routed to one node of a distributed engine.
  RowInsert(std::string_view table, std::size_t columns);
  // `text`: for this many rows.
  RowInsert(std::string_view table, std::string (*text)(std::size_t rows));

  // REQUIRES: a result of RowsAtOnce.
  const SqlStatement& For(std::size_t rows) const { return statements_[rows]; }

 private:
  std::vector<SqlStatement> statements_;
};

// Adds calls that insert all rows. `add` adds the parameters of one.
template <class Row, class AddFn>
void InsertRows(std::vector<SqlCall>& calls, const RowInsert& insert, const std::vector<Row>& rows, AddFn add) {
  for (std::size_t done = 0; done < rows.size();) {
    const std::size_t count = RowsAtOnce(rows.size() - done);
    SqlCall& call = calls.emplace_back(SqlCall{&insert.For(count), {}});
    for (const std::size_t end = done + count; done < end; ++done) add(call.params, rows[done]);
  }
}

}  // namespace turnlog
