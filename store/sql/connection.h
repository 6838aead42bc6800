// A connection to PostgreSQL: prepared statements with binary parameters, one by one or many in one round trip. One
// thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "store/sql/sql_error.h"

struct pg_conn;
struct pg_result;

namespace turnlog {

// The numbers that PostgreSQL's protocol gives to types.
enum class SqlType : std::uint32_t {
  kAny = 0,
  kBytea = 17,
  kInt8 = 20,
  kInt2 = 21,
  kInt4 = 23,
  kUuid = 2950,
  kUuids = 2951,
};

// A statement that is prepared once for each connection, with the types of its first parameters. Values are always
// parameters, never part of the text.
struct SqlStatement {
  std::string name;
  std::string text;
};

// Parameters in the order of $1, $2, ...; texts are not copied and must outlive the call that sends them. Each says its
// type: what a server would make of a parameter differs between engines, and the binary forms of types with it.
class SqlParams {
 public:
  SqlParams& Small(std::int16_t value) { return Number(static_cast<std::uint16_t>(value), SqlType::kInt2); }
  SqlParams& Int(std::int32_t value) { return Number(static_cast<std::uint32_t>(value), SqlType::kInt4); }
  SqlParams& Big(std::uint64_t value) { return Number(value, SqlType::kInt8); }
  SqlParams& Uuid(const Hash128& value);
  SqlParams& Bytes(std::string_view bytes);
  SqlParams& Null();
  // Arrays, for `= ANY($n)`.
  SqlParams& Uuids(std::span<const Hash128> values);

 private:
  friend class Connection;
  struct Value {
    SqlType type = SqlType::kAny;
    std::array<char, 16> number;  // of numbers, big-endian
    const char* bytes = nullptr;  // of texts
    std::size_t size = 0;
    bool null = false;
  };

  template <class T>
  SqlParams& Number(T value, SqlType type) {
    Value& added = values_.emplace_back();
    added.type = type;
    added.size = sizeof value;
    for (std::size_t i = 0; i < sizeof value; ++i) {
      added.number[i] = static_cast<char>(value >> (8 * (sizeof value - 1 - i)));
    }
    return *this;
  }

  std::vector<Value> values_;
  std::vector<std::unique_ptr<std::string>> arrays_;
};

// The rows that a statement returned.
class SqlRows {
 public:
  explicit SqlRows(pg_result* result) : result_(result) {}

  std::size_t size() const;
  bool IsNull(std::size_t row, int column) const;
  std::uint64_t Integer(std::size_t row, int column) const;  // of any width
  Hash128 Uuid(std::size_t row, int column) const;
  std::string_view Bytes(std::size_t row, int column) const;  // valid as long as the rows
  std::uint64_t changed() const;                              // number of rows that an UPDATE or DELETE has changed

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

struct SqlCall {
  const SqlStatement* statement;
  SqlParams params;
};

class Connection {
 public:
  // `url`: as libpq takes it. `name`: of this program, for the server's lists. Messages never contain the password.
  static SqlResult<std::unique_ptr<Connection>> Open(const std::string& url, const std::string& name);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  SqlResult<SqlRows> Run(const SqlStatement& statement, SqlParams params = {});
  // In one round trip; the rest is skipped after the first error, which is returned. Within a transaction that the
  // calls begin, an error rolls it back.
  SqlResult<std::vector<SqlRows>> RunAll(std::span<const SqlCall> calls);
  // Several statements without parameters, separated by semicolons: in one transaction, unless they say otherwise.
  SqlStatus Execute(const std::string& text);

  // After LISTEN: waits for a notification, or until the file `stop` is readable: false.
  SqlResult<bool> AwaitNotification(int stop);

  bool usable() const;
  // Its place in the order in which the pool opened its connections.
  std::uint64_t number() const { return number_; }
  void set_number(std::uint64_t number) { number_ = number; }
  // Whether the server has warned of something without a code of its own in the last RunAll: so it says that it has
  // stopped to wait for its standbys, and that a commit may be on none of them.
  bool warned() const { return warned_; }

 private:
  explicit Connection(pg_conn* connection) : connection_(connection) {}
  SqlStatus Prepare(const SqlStatement& statement, const SqlParams& params);
  bool Send(const SqlStatement& statement, const SqlParams& params);
  SqlStatus SendAll(std::span<const SqlCall> calls);
  SqlStatus Check(pg_result* result);
  SqlError Failure() const;  // of the connection
  void RollBack();
  static void OnNotice(void* connection, const pg_result* notice);

  struct Finish {
    void operator()(pg_conn* connection) const;
  };
  std::unique_ptr<pg_conn, Finish> connection_;
  std::unordered_set<std::string> prepared_;
  std::uint64_t number_ = 0;
  bool warned_ = false;
  bool lost_ = false;
};

}  // namespace turnlog
