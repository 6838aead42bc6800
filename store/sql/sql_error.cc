#include "store/sql/sql_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace turnlog {
namespace {

struct Advice {
  std::string_view state;  // a SQLSTATE, or the class that its first two letters name
  ErrorCode code;
  std::string_view what;
  std::string_view advice;
};

constexpr std::string_view kAppendAgain = "append again with the same event_ids";

// The first match counts.
constexpr std::array kAdvice{
    Advice{"42P01", ErrorCode::kNotFound, "there is no turnlog store in this database",
           "create it with `logctl store init URL`, or check the database and the search_path of the URL"},
    Advice{"3F000", ErrorCode::kNotFound, "the schema does not exist",
           "create it with `CREATE SCHEMA`, or check the search_path of the URL"},
    Advice{"42703", ErrorCode::kUnsupportedVersion, "the store's tables have other columns than this turnlog expects",
           "use the version of turnlog that made the store"},
    Advice{
        "42501", ErrorCode::kReadOnly, "the role lacks a right on the store's tables",
        "GRANT it SELECT to read, and INSERT, UPDATE and DELETE to write; creating a store needs CREATE on the schema"},
    Advice{"25006", ErrorCode::kReadOnly, "the server takes no writes: it is a standby, or set to read only",
           "connect to the primary, e.g. with all hosts and target_session_attrs=read-write in the URL"},
    Advice{"57014", ErrorCode::kIo, "the server cancelled the statement (statement_timeout, or an operator)",
           "raise statement_timeout for this role, or find what holds the locks in pg_stat_activity"},
    Advice{"55P03", ErrorCode::kBusy, "another session holds a lock on the store for too long",
           "find it in pg_stat_activity; a forgotten transaction can be ended with pg_terminate_backend"},
    Advice{"53100", ErrorCode::kIo, "the server's disk is full", "free space there; nothing of this call was stored"},
    Advice{"53", ErrorCode::kIo, "the server is out of a resource", "see the server's log"},
    Advice{"57P03", ErrorCode::kIo, "the server is starting up or shutting down", "try again in a moment"},
    Advice{"40003", ErrorCode::kIo, "the server does not know whether it has committed", kAppendAgain},
    Advice{"40", ErrorCode::kBusy, "other writers were first every time", "try again"},
    Advice{"22012", ErrorCode::kBusy, "other writers were first every time", "try again"},
    Advice{"23505", ErrorCode::kBusy, "other writers were first every time", "try again"},
    Advice{
        kUnreplicatedCommit, ErrorCode::kIo, "no standby has confirmed the commit, which the primary alone has",
        "see that the standbys of synchronous_standby_names run, and raise statement_timeout if it ends the wait; then "
        "append again with the same event_ids"},
    Advice{kNoConnection, ErrorCode::kIo, "cannot connect",
           "check the URL, and that the server runs and has a connection left (max_connections, and the role's limit)"},
    Advice{"XX001", ErrorCode::kCorruption, "the server reports a damaged table", "restore it from a backup"},
    Advice{"XX002", ErrorCode::kCorruption, "the server reports a damaged index", "run REINDEX on it"},
};

}  // namespace

SqlFailureKind SqlError::kind() const {
  if (refusal_) return SqlFailureKind::kOther;
  if (lost_ || state_.starts_with("08") || state_.starts_with("57P") || state_ == "40003") {
    return SqlFailureKind::kLost;
  }
  if (state_ == "22012" || state_ == "23505") return SqlFailureKind::kConflict;
  if (state_ == "55P03") return SqlFailureKind::kLocked;
  if (state_ == "40001" || state_ == "40P01") return SqlFailureKind::kTransient;
  return SqlFailureKind::kOther;
}

SqlError::operator Error() const {
  if (refusal_) return *refusal_;
  const auto known = std::ranges::find_if(kAdvice, [&](const Advice& each) { return state_.starts_with(each.state); });
  if (known == kAdvice.end()) {
    return {ErrorCode::kIo, state_.empty() ? fmt::format("database: {}", message_)
                                           : fmt::format("database: {} (SQLSTATE {})", message_, state_)};
  }
  return {known->code, fmt::format("{} ({}); {}", known->what, message_, known->advice)};
}

}  // namespace turnlog
