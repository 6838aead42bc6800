// The kinds of databases with sessions, and the rows of a session as text.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "doctor/session_kinds.h"
#include "migrate/records/piece_reader.h"
#include "migrate/records/record_source.h"
#include "migrate/sources/source.h"
#include "turnlog/result.h"

namespace turnlog {

struct DatabaseKind {
  std::string_view format;
  Result<std::vector<RecordFile>> (*sessions)(Source& source) = nullptr;
  MakeChecks checks = nullptr;
  std::string_view data{};  // the column with what a row says, as a JSON object
  bool is_writable = true;  // the rows are what the database has
  // The sessions whose rows exist, but which the tool does not list; empty: it has no list.
  std::string_view unlisted{};
};

// Null if there is none of this format.
const DatabaseKind* FindDatabaseKind(std::string_view format);

struct SessionRows {
  SourceFile lines;  // the rows as JSON, one a line
  // False: there is a row that may say what we do not understand, such as the result of a call: what is missing in the
  // session is then not known.
  bool is_read = true;
};

// The text is in an unnamed file in the folder of the database, or in TMPDIR.
Result<SessionRows> ReadSessionRows(const DatabaseKind& kind, PieceReader& rows, const std::filesystem::path& database);

}  // namespace turnlog
