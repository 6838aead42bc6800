// Failures of the database: what the engine decides by their code, and what the user is told.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "turnlog/result.h"

namespace turnlog {

// What the engine does about a failure.
enum class SqlFailureKind : std::uint8_t {
  kConflict,   // another writer was first: a guard of ours, or a unique index
  kTransient,  // serialization failure or deadlock: the transaction had no effect, and may be repeated
  kLost,       // no connection (any more), or the server itself does not know: what was sent may have happened
  kLocked,     // another session holds a lock for too long
  kOther,
};

// The state of the server's warning that it has stopped to wait for its standbys.
inline constexpr std::string_view kUnreplicatedCommit = "01000";
// Of a connection that could not be made: libpq does not tell the server's own.
inline constexpr std::string_view kNoConnection = "08001";

class SqlError {
 public:
  // `state`: SQLSTATE. `message`: the first line, without the details, which may quote stored values.
  SqlError(std::string state, std::string message, bool lost)
      : state_(std::move(state)), message_(std::move(message)), lost_(lost) {}
  // The engine itself refuses the call.
  SqlError(Error refusal) : refusal_(std::move(refusal)) {}  // NOLINT(google-explicit-constructor): as below

  SqlFailureKind kind() const;
  operator Error() const;  // NOLINT(google-explicit-constructor): functions return it as the error of a Result

 private:
  std::string state_, message_;
  bool lost_ = false;  // the connection is gone
  std::optional<Error> refusal_;
};

template <class T>
using SqlResult = std::expected<T, SqlError>;
using SqlStatus = SqlResult<void>;

}  // namespace turnlog
