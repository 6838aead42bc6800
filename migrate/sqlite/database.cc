#include "migrate/sqlite/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "base/try.h"
#include "base/utf8.h"
#include "migrate/format.h"
#include "migrate/records/real_number.h"
#include "migrate/sqlite/salvage_copy.h"
#include "migrate/sqlite/source_vfs.h"
#include "migrate/sqlite/step.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"
#include "turnlog/types.h"

namespace turnlog {
namespace {

Error ToError(sqlite3* database, const std::string& read_error) {
  if (!read_error.empty()) return {ErrorCode::kIo, read_error};
  return {ErrorCode::kCorruption, fmt::format("SQLite: {}", sqlite3_errmsg(database))};
}

// Not what looks like the objects that stand for other values.
bool IsJsonContainer(std::string_view text) {
  return (text.starts_with('{') || text.starts_with('[')) && !text.contains('\n') && !text.contains("\"$base64\"") &&
         !text.contains("\"$number\"") && !FindJsonFault(text);
}

}  // namespace

bool IsDatabase(Source& source) {
  const auto head = source.files.front().Head(kSqliteMagic.size());
  return head && *head == kSqliteMagic;
}

bool IsDatabaseInUtf16(std::string_view head) {
  constexpr std::size_t kEncoding = 56;  // 4 bytes, big-endian: 1 for UTF-8, 2 and 3 for UTF-16
  if (!head.starts_with(kSqliteMagic) || head.size() < kEncoding + 4) return false;
  return head[kEncoding + 3] == 2 || head[kEncoding + 3] == 3;
}

std::vector<std::string> DatabaseCompanions(const Surroundings& around) {
  return {fmt::format("{}-wal", around.name), fmt::format("{}-journal", around.name)};
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Statement::Bind(int parameter, std::string_view text) {
  sqlite3_bind_text(statement_.get(), parameter, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

void Statement::Restart() { sqlite3_reset(statement_.get()); }

Result<bool> Statement::Step() {
  const int code = StepChecked(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return std::unexpected(ToError(sqlite3_db_handle(statement_.get()), {}));
}

int Statement::columns() const { return sqlite3_column_count(statement_.get()); }

std::string_view Statement::Name(int column) const { return sqlite3_column_name(statement_.get(), column); }

int Statement::ColumnOf(std::string_view name) const {
  int column = 0;
  while (Name(column) != name) ++column;
  return column;
}

// Texts are asked for as such: a database may keep them in UTF-16.
std::string_view Statement::Text(int column) const {
  const bool is_text = sqlite3_column_type(statement_.get(), column) == SQLITE_TEXT;
  const void* bytes = is_text ? static_cast<const void*>(sqlite3_column_text(statement_.get(), column))
                              : sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string_view()
                          : std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

std::int64_t Statement::Integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

void Statement::AppendJson(int column, std::string& out) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  const std::string_view bytes = Text(column);
  if (type == SQLITE_NULL) {
    out += "null";
  } else if (type == SQLITE_INTEGER) {
    out += fmt::format("{}", Integer(column));
  } else if (type == SQLITE_FLOAT) {
    AppendRealNumber(sqlite3_column_double(statement_.get(), column), out);
  } else if (type == SQLITE_TEXT && IsJsonContainer(bytes)) {
    out += bytes;
  } else if (type == SQLITE_TEXT && IsUtf8(bytes)) {
    AppendJsonString(bytes, out);
  } else {
    out += R"({"$base64":")";
    AppendBase64(bytes, out);
    out += "\"}";
  }
}

Database::Database(Source& source) : vfs_(std::make_unique<SourceVfs>(source)) {}

Database::~Database() { sqlite3_close_v2(database_); }

Result<std::unique_ptr<Database>> Database::Open(Source& source) {
  std::unique_ptr<Database> opened(new Database(source));
  TURNLOG_TRY(opened->Connect());
  if (TURNLOG_TRY(IsCutOff(source))) TURNLOG_TRY(opened->Salvage());
  Statement check = TURNLOG_TRY(opened->Prepare("SELECT count(*) FROM sqlite_schema"));
  if (const auto read = check.Step(); !read) return std::unexpected(read.error());
  return opened;
}

Result<std::unique_ptr<Database>> Database::OpenCopy(Source& source) {
  std::unique_ptr<Database> opened(new Database(source));
  TURNLOG_TRY(opened->Connect());
  TURNLOG_TRY(opened->Salvage());
  return opened;
}

Status Database::Connect() {
  const int code = sqlite3_open_v2("database", &database_, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, vfs_->name());
  if (code != SQLITE_OK) return std::unexpected(ToError(database_, vfs_->error()));
  sqlite3_db_config(database_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, static_cast<int>(kMaxEventBytes));
  // Before the first read: the index of the write-ahead log is then kept in memory.
  for (const char* pragma :
       {"PRAGMA locking_mode=EXCLUSIVE", "PRAGMA temp_store=MEMORY", "PRAGMA cell_size_check=ON"}) {
    sqlite3_exec(database_, pragma, nullptr, nullptr, nullptr);
  }
  return {};
}

// SQLite refuses a database that has lost pages, unless the schema can be written, which the file system prevents.
Status Database::AllowDamage() const {
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  sqlite3_exec(database_, "PRAGMA writable_schema=ON", nullptr, nullptr, nullptr);
  TURNLOG_TRY(vfs_->DropDamagedCells());
  sqlite3_db_release_memory(database_);
  return {};
}

Status Database::Salvage() {
  TURNLOG_TRY(AllowDamage());
  sqlite3* copy = nullptr;
  const int code =
      sqlite3_open_v2("", &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code == SQLITE_OK) CopyReadable(database_, copy);
  sqlite3_close_v2(std::exchange(database_, copy));
  salvaged_ = true;
  return code == SQLITE_OK ? Status() : std::unexpected(ToError(copy, {}));
}

Result<bool> IsCutOff(Source& source) {
  constexpr std::size_t kHeader = 100;
  SourceFile& file = source.files.front();
  const std::string header = TURNLOG_TRY(file.Head(kHeader));
  SourceFile* const log = source.Find(file.name() + "-wal");
  if (!header.starts_with(kSqliteMagic) || header.size() < kHeader) return false;
  if (log != nullptr && TURNLOG_TRY(log->FindSize()) > 0) return false;
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    for (const char byte : std::string_view(header).substr(at, bytes))
      value = value << 8 | static_cast<std::uint8_t>(byte);
    return value;
  };
  const std::uint64_t page = number(16, 2) == 1 ? 65'536 : number(16, 2);
  const std::uint64_t size = TURNLOG_TRY(file.FindSize());
  const bool has_count = number(24, 4) == number(92, 4);
  return page > 0 && (size % page != 0 || (has_count && size < number(28, 4) * page));
}

Result<Statement> Database::Prepare(std::string_view sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return std::unexpected(ToError(database_, vfs_->error()));
  return Statement(statement);
}

bool Database::HasTable(std::string_view table, std::initializer_list<std::string_view> columns) const {
  auto names =
      Prepare("SELECT c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type='table' AND t.name=?");
  if (!names) return false;
  names->Bind(1, table);
  std::vector<std::string> found;
  while (names->Step().value_or(false)) found.emplace_back(names->Text(0));
  return !found.empty() && std::ranges::all_of(columns, [&](std::string_view name) {
    return std::ranges::find(found, name) != found.end();
  });
}

bool Database::HasRowids(std::string_view table) const {
  return Prepare("SELECT rowid FROM " + QuoteName(table)).has_value();
}

Result<std::string> Database::FindDamage() const {
  if (salvaged_) return std::string("the end is missing");
  Statement check = TURNLOG_TRY(Prepare("PRAGMA quick_check(1)"));
  const auto row = check.Step();
  if (!row) return row.error().message;
  const std::string_view found = *row ? check.Text(0) : std::string_view();
  return std::string(found == "ok" ? std::string_view() : found);
}

Status Database::CopyTo(const std::filesystem::path& path, bool damaged) const {
  if (damaged && !salvaged_) TURNLOG_TRY(AllowDamage());
  sqlite3* copy = nullptr;
  int code = sqlite3_open_v2(path.c_str(), &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code == SQLITE_OK && damaged && !salvaged_) {
    CopyReadable(database_, copy);
  } else if (code == SQLITE_OK) {
    constexpr int kAllPages = -1;
    sqlite3_backup* const backup = sqlite3_backup_init(copy, "main", database_, "main");
    if (backup != nullptr) sqlite3_backup_step(backup, kAllPages);
    code = backup == nullptr ? sqlite3_errcode(copy) : sqlite3_backup_finish(backup);
  }
  const Status done = code == SQLITE_OK ? Status() : std::unexpected(ToError(copy, vfs_->error()));
  sqlite3_close_v2(copy);
  return done;
}

std::string QuoteName(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

}  // namespace turnlog
