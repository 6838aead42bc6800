// Any bytes as columns of a database's rows, of any width and null: an error, or a row whose views lie in the result.
#include <libpq-fe.h>

#include <string>
#include <string_view>
#include <vector>

#include "store/sql/conversation_head.h"
#include "store/sql/stored_row.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_bytes.h"

namespace {

using namespace turnlog;

constexpr int kColumns = 16;  // more than any statement has

// One row: for each column a byte for its size, 255 for none, and its bytes; the last one gets the rest.
SqlRows RowOf(InputBytes input) {
  PGresult* const result = PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK);
  Require(result != nullptr);
  std::vector<std::string> names;
  for (int column = 0; column < kColumns; ++column) names.push_back("c" + std::to_string(column));
  std::vector<PGresAttDesc> columns;
  for (std::string& name : names) columns.push_back({name.data(), 0, 0, 1, 0, -1, -1});
  Require(PQsetResultAttrs(result, kColumns, columns.data()) == 1);
  for (int column = 0; column < kColumns; ++column) {
    const std::uint8_t size = input.Byte();
    std::string bytes(size == 255 ? std::string_view() : column + 1 < kColumns ? input.Text(size) : input.Rest());
    Require(PQsetvalue(result, 0, column, bytes.data(), size == 255 ? -1 : static_cast<int>(bytes.size())) == 1);
  }
  return SqlRows(result);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const SqlRows rows = RowOf(InputBytes(data, size));
  for (int column = 0; column < kColumns; ++column) {
    (void)rows.IsNull(0, column);
    (void)rows.Integer(0, column);
    (void)rows.Uuid(0, column);
    Require(rows.Bytes(0, column).size() <= size);
  }
  const StoredRow stored = StoredRowIn(rows, 0);
  const std::uint64_t last = LastSeqOf({}, stored);
  for (const std::uint64_t seq : {stored.row.seq, stored.row.seq + 1, last, last + 1}) {
    if (const auto event = EventAt(stored, seq)) Require(event->payload.size() <= size);
  }
  (void)HeadIn(rows, 0);
  return 0;
}
