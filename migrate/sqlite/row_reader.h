// The rows of a database as records: each is one JSON object, and a line break follows it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/records/piece_reader.h"
#include "migrate/records/record_source.h"
#include "migrate/sources/source_reader.h"
#include "migrate/sqlite/database.h"

namespace turnlog {

// The current row: {"table":"agent_messages","id":1,...}; `more`: further fields, each with its comma.
std::string RowAsJson(std::string_view table, const Statement& row, std::string_view more = {});

// Tells rows apart that follow each other and have the same name: "x", "x (2)", ...
class SameNames {
 public:
  std::string Number(std::string name);

 private:
  std::string last_;
  std::uint64_t count_ = 0;  // of this name
};

class RowReader final : public PieceReader {
 public:
  // The next row; nothing after the last one.
  using NextRow = std::function<Result<std::optional<std::string>>()>;

  // A row beside the messages, with its name (records/record_revision.h), which SameNames numbers.
  struct NamedRow {
    std::string name, text;
  };
  using NextNamed = std::function<Result<std::optional<NamedRow>>()>;

  // `beside`: the rows that come first; null: none.
  explicit RowReader(NextRow next, NextNamed beside = nullptr) : next_(std::move(next)), beside_(std::move(beside)) {}
  // A damaged database ends with a damaged piece that has no bytes.
  Result<RecordPiece> Next() override;

 private:
  RecordPiece End(bool damaged);
  Result<std::optional<RecordPiece>> NextBeside();

  NextRow next_;
  NextNamed beside_;
  NamedRow named_;
  SameNames names_;
  std::optional<Error> damage_beside_;
  std::string row_;
  std::uint64_t offset_ = 0, line_ = 0;
  bool damaged_ = false;
  std::string reason_;
};

// Visits the rows that show which conversations there are besides those in `files`, because rows say that they belong
// to them. Damage there costs the others nothing: it is reported with them.
Status ListOthers(Result<Statement> rows, const std::function<void(const Statement&)>& visit,
                  std::vector<RecordFile>& files);

// Of conversations with the same name, refuses all but the first one: their events would be those of one. These get
// names of their own, for the report. `what`: they are.
void RefuseRepeatedNames(std::string_view what, std::vector<RecordFile>& files);

// The rows of a database; if it was cut off, or salvaged, that comes first, as a problem. An error is the only fault of
// the source, unless its bytes cannot be read.
std::unique_ptr<SourceReader> ReadRows(std::string_view format, Source& source, Result<std::vector<RecordFile>> rows);

}  // namespace turnlog
