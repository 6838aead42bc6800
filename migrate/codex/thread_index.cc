#include "migrate/codex/thread_index.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <vector>

#include "base/try.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// The values of the columns that are known; all others must have a default or may be null.
struct Column {
  std::string_view name;
  std::string (*value)(const CodexThread& thread);
};

std::string Seconds(Timestamp time) { return std::to_string(time.nanos / 1'000'000'000); }
std::string Milliseconds(Timestamp time) { return std::to_string(time.nanos / 1'000'000); }

constexpr Column kColumns[] = {
    {"id", [](const CodexThread& thread) { return thread.id; }},
    {"rollout_path", [](const CodexThread& thread) { return thread.rollout.string(); }},
    {"created_at", [](const CodexThread& thread) { return Seconds(thread.created); }},
    {"updated_at", [](const CodexThread& thread) { return Seconds(thread.updated); }},
    {"created_at_ms", [](const CodexThread& thread) { return Milliseconds(thread.created); }},
    {"updated_at_ms", [](const CodexThread& thread) { return Milliseconds(thread.updated); }},
    {"recency_at", [](const CodexThread& thread) { return Seconds(thread.updated); }},
    {"recency_at_ms", [](const CodexThread& thread) { return Milliseconds(thread.updated); }},
    {"source", [](const CodexThread&) { return std::string("cli"); }},
    {"model_provider", [](const CodexThread&) { return std::string("openai"); }},
    {"cwd", [](const CodexThread& thread) { return thread.folder; }},
    {"title", [](const CodexThread& thread) { return thread.title; }},
    {"first_user_message", [](const CodexThread& thread) { return thread.title; }},
    {"preview", [](const CodexThread& thread) { return thread.title; }},
    {"sandbox_policy", [](const CodexThread&) { return std::string(R"({"type":"read-only"})"); }},
    {"approval_mode", [](const CodexThread&) { return std::string("on-request"); }},
    {"has_user_event", [](const CodexThread&) { return std::string("1"); }},
    {"cli_version", [](const CodexThread&) { return std::string("0.0.0"); }},
};

Error ToError(sqlite3* database, const fs::path& path) {
  const int code = sqlite3_errcode(database);
  const bool busy = code == SQLITE_BUSY || code == SQLITE_LOCKED;
  return {busy ? ErrorCode::kBusy : ErrorCode::kIo, fmt::format("{}: {}", path.string(), sqlite3_errmsg(database))};
}

using StatementPtr = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

Result<StatementPtr> Prepare(sqlite3* database, const fs::path& path, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return std::unexpected(ToError(database, path));
  return StatementPtr(statement, sqlite3_finalize);
}

// The one with the highest number.
std::optional<fs::path> FindIndex(const fs::path& root) {
  std::optional<fs::path> newest;
  int highest = -1;
  std::error_code error;
  for (fs::directory_iterator each(root, error), end; !error && each != end; each.increment(error)) {
    const std::string name = each->path().filename().string();
    constexpr std::string_view kPrefix = "state_", kSuffix = ".sqlite";
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    int number = 0;
    const char* const last = name.data() + name.size() - kSuffix.size();
    const auto [rest, failed] = std::from_chars(name.data() + kPrefix.size(), last, number);
    if (failed != std::errc() || rest != last || number <= highest) continue;
    highest = number;
    newest = each->path();
  }
  return newest;
}

}  // namespace

Result<std::unique_ptr<CodexThreadIndex>> CodexThreadIndex::Open(const fs::path& root) {
  const auto path = FindIndex(root);
  if (!path) return nullptr;
  constexpr int kWait = 5'000;
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path->c_str(), &database, SQLITE_OPEN_READWRITE, nullptr);
  std::unique_ptr<CodexThreadIndex> index(new CodexThreadIndex(*path, database));
  if (code != SQLITE_OK) return std::unexpected(ToError(database, *path));
  sqlite3_busy_timeout(database, kWait);
  if (const std::string columns = TURNLOG_TRY(index->Columns()); columns.empty()) return nullptr;
  return index;
}

CodexThreadIndex::~CodexThreadIndex() { sqlite3_close_v2(database_); }

// Those that the table has of the known ones, as a list for SQL; empty if there is no such table.
Result<std::string> CodexThreadIndex::Columns() const {
  const StatementPtr info = TURNLOG_TRY(Prepare(database_, path_, "PRAGMA table_info(threads)"));
  std::string columns;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(info.get())) == SQLITE_ROW) {
    const std::string_view name = reinterpret_cast<const char*>(sqlite3_column_text(info.get(), 1));
    const bool needed = sqlite3_column_int(info.get(), 3) != 0 && sqlite3_column_type(info.get(), 4) == SQLITE_NULL;
    if (std::ranges::find(kColumns, name, &Column::name) != std::end(kColumns)) {
      columns += fmt::format("{}{}", columns.empty() ? "" : ",", name);
    } else if (needed) {
      return std::unexpected(
          Error{ErrorCode::kUnsupportedVersion, fmt::format("{}: column {} is not known", path_.string(), name)});
    }
  }
  if (code != SQLITE_DONE) return std::unexpected(ToError(database_, path_));
  return columns;
}

Result<bool> CodexThreadIndex::Add(const CodexThread& thread) {
  const std::string columns = TURNLOG_TRY(Columns());
  std::string values = "?";
  for (const char letter : columns) values += letter == ',' ? ",?" : "";
  const StatementPtr insert = TURNLOG_TRY(
      Prepare(database_, path_, fmt::format("INSERT OR IGNORE INTO threads({}) VALUES({})", columns, values)));
  std::string_view rest = columns;
  for (int parameter = 1; !rest.empty(); ++parameter) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    const std::string value = std::ranges::find(kColumns, name, &Column::name)->value(thread);
    sqlite3_bind_text(insert.get(), parameter, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
  }
  if (sqlite3_step(insert.get()) != SQLITE_DONE) return std::unexpected(ToError(database_, path_));
  return sqlite3_changes(database_) == 1;
}

}  // namespace turnlog
