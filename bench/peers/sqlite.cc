// Each event is a row in SQLite, with a write-ahead log. The row's key is conversation and seq in one integer, so that
// there is one tree. An append is a transaction; SQLite has one writer at a time and no separate wait.
#include <sqlite3.h>

#include <mutex>

#include "bench/peers/payload.h"

namespace turnlog {
namespace {

constexpr int kSeqBits = 40;

sqlite3_int64 RowOf(std::uint32_t conversation, std::uint64_t seq) {
  return static_cast<sqlite3_int64>((std::uint64_t{conversation} << kSeqBits) | seq);
}

class Sqlite : public PayloadEngine<Sqlite> {
 public:
  Sqlite(const std::filesystem::path& folder, Durability durability) {
    Check(sqlite3_open((folder / "events.sqlite").c_str(), &db_));
    Run("PRAGMA journal_mode = WAL");
    Run(durability == Durability::kSync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    Run("PRAGMA wal_autocheckpoint = 16384");  // 64 MiB
    Run("PRAGMA cache_size = -262144");
    Run("PRAGMA mmap_size = 1073741824");
    Run("CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, payload BLOB NOT NULL)");
    Run("CREATE TABLE IF NOT EXISTS inquiries (conversation INTEGER, id BLOB, seq INTEGER, "
        "PRIMARY KEY (conversation, id)) WITHOUT ROWID");
    begin_ = Make("BEGIN IMMEDIATE");
    commit_ = Make("COMMIT");
    add_event_ = Make("INSERT INTO events VALUES (?, ?)");
    add_inquiry_ = Make("INSERT OR REPLACE INTO inquiries VALUES (?, ?, ?)");
    range_ = Make("SELECT payload FROM events WHERE id BETWEEN ? AND ? ORDER BY id");
    backward_ = Make("SELECT payload FROM events WHERE id BETWEEN ? AND ? ORDER BY id DESC");
    inquiry_ = Make("SELECT seq FROM inquiries WHERE conversation = ? AND id = ?");
  }

  ~Sqlite() override {
    for (sqlite3_stmt* made : {begin_, commit_, add_event_, add_inquiry_, range_, backward_, inquiry_}) {
      sqlite3_finalize(made);
    }
    sqlite3_close(db_);
  }

  std::uint64_t AppendLater(const Batch& batch) override {
    const std::scoped_lock lock(mutex_);
    Do(begin_);
    std::uint64_t seq = batch.first_seq;
    for (const std::string& payload : batch.payloads) {
      sqlite3_bind_int64(add_event_, 1, RowOf(batch.conversation, seq++));
      sqlite3_bind_blob64(add_event_, 2, payload.data(), payload.size(), SQLITE_STATIC);
      Do(add_event_);
    }
    ForEachInquiry(batch, [&](const Hash128& id, std::uint64_t at) {
      sqlite3_bind_int64(add_inquiry_, 1, batch.conversation);
      sqlite3_bind_blob(add_inquiry_, 2, &id, sizeof id, SQLITE_STATIC);
      sqlite3_bind_int64(add_inquiry_, 3, static_cast<sqlite3_int64>(at));
      Do(add_inquiry_);
    });
    Do(commit_);
    return 0;
  }
  void Wait(std::uint64_t, Durability) override {}
  void Settle() override { Run("PRAGMA wal_checkpoint(TRUNCATE)"); }

  Seen ReadAll(Depth depth) override { return Read(range_, 0, INT64_MAX, depth); }
  Seen ReadConversation(std::uint32_t conversation) override {
    return Read(range_, RowOf(conversation, 1), RowOf(conversation + 1, 0), Depth::kRecord);
  }
  Seen ReadOne(std::uint32_t conversation, std::uint64_t seq) override {
    return Read(range_, RowOf(conversation, seq), RowOf(conversation, seq), Depth::kRecord);
  }
  Seen ReadInquiry(std::uint32_t conversation, std::string_view id) override {
    const Hash128 hash = HashId(id, 0);
    sqlite3_bind_int64(inquiry_, 1, conversation);
    sqlite3_bind_blob(inquiry_, 2, &hash, sizeof hash, SQLITE_STATIC);
    if (sqlite3_step(inquiry_) != SQLITE_ROW) Fail("no such inquiry");
    const auto seq = static_cast<std::uint64_t>(sqlite3_column_int64(inquiry_, 0));
    sqlite3_reset(inquiry_);
    return ReadOne(conversation, seq);
  }

 private:
  friend class PayloadEngine<Sqlite>;
  void Check(int code) {
    if (code != SQLITE_OK && code != SQLITE_DONE) Fail(sqlite3_errmsg(db_));
  }
  void Run(const char* sql) { Check(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr)); }
  sqlite3_stmt* Make(const char* sql) {
    sqlite3_stmt* made = nullptr;
    Check(sqlite3_prepare_v2(db_, sql, -1, &made, nullptr));
    return made;
  }
  void Do(sqlite3_stmt* made) {
    Check(sqlite3_step(made));
    sqlite3_reset(made);
  }

  // SQLite has no checksums: hash the data read, as a comparison with a checksum would.
  void See(std::string_view payload, Depth depth, Seen& seen) {
    seen.check += Hash64(payload);
    payload_.See(payload, depth, seen);
  }

  template <class TakeFn>
  void ReadRows(sqlite3_stmt* select, sqlite3_int64 first, sqlite3_int64 last, TakeFn take) {
    sqlite3_bind_int64(select, 1, first);
    sqlite3_bind_int64(select, 2, last);
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
      const auto* payload = static_cast<const char*>(sqlite3_column_blob(select, 0));
      if (!take({payload, static_cast<std::size_t>(sqlite3_column_bytes(select, 0))})) break;
    }
    if (code != SQLITE_ROW) Check(code);
    sqlite3_reset(select);
  }

  template <class TakeFn>
  void ReadBackward(std::uint32_t conversation, TakeFn take) {
    ReadRows(backward_, RowOf(conversation, 1), RowOf(conversation + 1, 0), take);
  }

  Seen Read(sqlite3_stmt* select, sqlite3_int64 first, sqlite3_int64 last, Depth depth) {
    Seen seen;
    ReadRows(select, first, last, [&](std::string_view payload) {
      See(payload, depth, seen);
      return true;
    });
    return seen;
  }

  std::mutex mutex_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt *begin_ = nullptr, *commit_ = nullptr, *add_event_ = nullptr, *add_inquiry_ = nullptr, *range_ = nullptr,
               *backward_ = nullptr, *inquiry_ = nullptr;
};

}  // namespace

const EngineKind kSqlite{"SQLite",
                         [](const std::filesystem::path& folder, Durability durability) -> std::unique_ptr<Engine> {
                           return std::make_unique<Sqlite>(folder, durability);
                         }};

}  // namespace turnlog
