#include "store/sql/connection.h"

#include <libpq-fe.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/coding.h"
#include "base/try.h"
#include "store/sql/sql_url.h"

namespace turnlog {
namespace {

// A machine that vanishes closes no connection: without these, calls would wait for it for two hours, and for a quarter
// of an hour after they have sent something. Milliseconds for the last one, otherwise seconds.
constexpr std::array<std::pair<const char*, const char*>, 5> kDefaults{{{"connect_timeout", "10"},
                                                                        {"keepalives_idle", "10"},
                                                                        {"keepalives_interval", "5"},
                                                                        {"keepalives_count", "3"},
                                                                        {"tcp_user_timeout", "25000"}}};

// libpq's messages end with a newline and may go on with hints.
std::string FirstLine(const char* text) {
  const std::string_view all = text == nullptr ? "" : text;
  return std::string(all.substr(0, all.find('\n')));
}

std::string Field(const PGresult* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text == nullptr ? std::string() : FirstLine(text);
}

std::string BinaryUuid(const Hash128& value) {
  std::string bytes;
  AppendHash(bytes, value);
  return bytes;
}

}  // namespace

SqlParams& SqlParams::Uuid(const Hash128& value) {
  Value& added = values_.emplace_back();
  const std::string bytes = BinaryUuid(value);
  added.type = SqlType::kUuid;
  added.size = bytes.size();
  std::memcpy(added.number.data(), bytes.data(), bytes.size());
  return *this;
}

SqlParams& SqlParams::Bytes(std::string_view bytes) {
  values_.push_back(
      {.type = SqlType::kBytea, .number = {}, .bytes = bytes.empty() ? "" : bytes.data(), .size = bytes.size()});
  return *this;
}

SqlParams& SqlParams::Null() {
  values_.push_back({.number = {}, .null = true});
  return *this;
}

SqlParams& SqlParams::Uuids(std::span<const Hash128> values) {
  auto array = std::make_unique<std::string>();
  AppendBig<std::uint32_t>(*array, 1);  // dimensions
  AppendBig<std::uint32_t>(*array, 0);  // no nulls
  AppendBig(*array, static_cast<std::uint32_t>(SqlType::kUuid));
  AppendBig(*array, static_cast<std::uint32_t>(values.size()));
  AppendBig<std::uint32_t>(*array, 1);  // first subscript
  for (const Hash128& value : values) {
    AppendBig<std::uint32_t>(*array, sizeof value);
    AppendHash(*array, value);
  }
  Bytes(*array).values_.back().type = SqlType::kUuids;
  arrays_.push_back(std::move(array));
  return *this;
}

void SqlRows::Clear::operator()(pg_result* result) const { PQclear(result); }

std::size_t SqlRows::size() const { return static_cast<std::size_t>(PQntuples(result_.get())); }

bool SqlRows::IsNull(std::size_t row, int column) const {
  return PQgetisnull(result_.get(), static_cast<int>(row), column) != 0;
}

std::string_view SqlRows::Bytes(std::size_t row, int column) const {
  const int number = static_cast<int>(row);
  return {PQgetvalue(result_.get(), number, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), number, column))};
}

std::uint64_t SqlRows::Integer(std::size_t row, int column) const {
  const std::string_view bytes = Bytes(row, column);
  switch (bytes.size()) {
    case 2:
      return LoadBig<std::uint16_t>(bytes.data());
    case 4:
      return LoadBig<std::uint32_t>(bytes.data());
    case 8:
      return LoadBig<std::uint64_t>(bytes.data());
    default:
      return 0;
  }
}

Hash128 SqlRows::Uuid(std::size_t row, int column) const {
  Decoder in{Bytes(row, column)};
  return in.Hash();
}

std::uint64_t SqlRows::changed() const { return std::strtoull(PQcmdTuples(result_.get()), nullptr, 10); }

void Connection::Finish::operator()(pg_conn* connection) const { PQfinish(connection); }

Connection::~Connection() = default;

SqlResult<std::unique_ptr<Connection>> Connection::Open(const std::string& url, const std::string& name) {
  TURNLOG_TRY(CheckSqlUrl(url));
  // What the URL says comes later and counts more.
  std::vector<const char*> keywords, values;
  for (const auto& [keyword, value] : kDefaults) {
    keywords.push_back(keyword);
    values.push_back(value);
  }
  for (const auto& [keyword, value] : {std::pair{"fallback_application_name", &name}, std::pair{"dbname", &url}}) {
    keywords.push_back(keyword);
    values.push_back(value->c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  std::unique_ptr<Connection> opened(new Connection(PQconnectdbParams(keywords.data(), values.data(), 1)));
  pg_conn* const connection = opened->connection_.get();
  if (PQstatus(connection) != CONNECTION_OK) {
    return std::unexpected(SqlError(std::string(kNoConnection), FirstLine(PQerrorMessage(connection)), true));
  }
  PQsetErrorVerbosity(connection, PQERRORS_TERSE);
  PQsetNoticeReceiver(connection, &Connection::OnNotice, opened.get());
  return opened;
}

void Connection::OnNotice(void* connection, const pg_result* notice) {
  if (Field(notice, PG_DIAG_SQLSTATE) == kUnreplicatedCommit) static_cast<Connection*>(connection)->warned_ = true;
}

SqlError Connection::Failure() const { return {"", FirstLine(PQerrorMessage(connection_.get())), true}; }

bool Connection::usable() const {
  return !lost_ && PQstatus(connection_.get()) == CONNECTION_OK &&
         PQtransactionStatus(connection_.get()) == PQTRANS_IDLE;
}

SqlStatus Connection::Check(pg_result* result) {
  switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_EMPTY_QUERY:
    case PGRES_PIPELINE_SYNC:
      return {};
    default:
      break;
  }
  std::string message = Field(result, PG_DIAG_MESSAGE_PRIMARY);
  if (message.empty()) message = FirstLine(PQerrorMessage(connection_.get()));
  std::string state = Field(result, PG_DIAG_SQLSTATE);
  lost_ = lost_ || state.empty() || PQstatus(connection_.get()) != CONNECTION_OK;  // no state: it is libpq's own error
  return std::unexpected(SqlError(std::move(state), std::move(message), lost_));
}

SqlStatus Connection::Prepare(const SqlStatement& statement, const SqlParams& params) {
  if (prepared_.contains(statement.name)) return {};
  std::vector<Oid> types;
  for (const SqlParams::Value& value : params.values_) types.push_back(static_cast<Oid>(value.type));
  pg_result* const result = PQprepare(connection_.get(), statement.name.c_str(), statement.text.c_str(),
                                      static_cast<int>(types.size()), types.data());
  const SqlRows owner(result);
  TURNLOG_TRY(Check(result));
  prepared_.insert(statement.name);
  return {};
}

bool Connection::Send(const SqlStatement& statement, const SqlParams& params) {
  std::vector<const char*> values;
  std::vector<int> lengths, formats;
  for (const SqlParams::Value& value : params.values_) {
    const char* bytes = value.bytes != nullptr ? value.bytes : value.number.data();
    values.push_back(value.null ? nullptr : bytes);
    lengths.push_back(static_cast<int>(value.size));
    formats.push_back(1);
  }
  return PQsendQueryPrepared(connection_.get(), statement.name.c_str(), static_cast<int>(values.size()), values.data(),
                             lengths.data(), formats.data(), 1) == 1;
}

SqlResult<SqlRows> Connection::Run(const SqlStatement& statement, SqlParams params) {
  const SqlCall call{&statement, std::move(params)};
  auto rows = RunAll({&call, 1});
  if (!rows) return std::unexpected(std::move(rows).error());
  return std::move(rows->front());
}

SqlResult<std::vector<SqlRows>> Connection::RunAll(std::span<const SqlCall> calls) {
  warned_ = false;
  for (const SqlCall& call : calls) TURNLOG_TRY(Prepare(*call.statement, call.params));
  TURNLOG_TRY(SendAll(calls));
  std::vector<SqlRows> all;
  std::optional<SqlError> failed;
  // Each call has one result and a null; then comes that of the sync. Two nulls: libpq could not send, but does not
  // call the connection bad, because the server has said something before it ended.
  for (bool answered = false; all.size() < calls.size() + 1;) {
    pg_result* const result = PQgetResult(connection_.get());
    if (result == nullptr) {
      if (PQstatus(connection_.get()) == CONNECTION_OK && std::exchange(answered, false)) continue;
      lost_ = true;
      if (!failed) failed = Failure();
      break;
    }
    answered = true;
    all.emplace_back(result);
    if (PQresultStatus(result) == PGRES_PIPELINE_SYNC) break;
    if (PQresultStatus(result) == PGRES_PIPELINE_ABORTED) continue;  // skipped after the error, which came before
    if (const auto status = Check(result); !status && !failed) failed = status.error();
  }
  if (!lost_ && PQstatus(connection_.get()) == CONNECTION_OK) (void)PQexitPipelineMode(connection_.get());
  if (failed) {
    RollBack();
    return std::unexpected(*std::move(failed));
  }
  all.pop_back();
  return all;
}

SqlStatus Connection::SendAll(std::span<const SqlCall> calls) {
  bool sent = PQenterPipelineMode(connection_.get()) == 1;
  for (const SqlCall& call : calls) sent = sent && Send(*call.statement, call.params);
  if (sent && PQpipelineSync(connection_.get()) == 1) return {};
  lost_ = true;  // it is somewhere in the middle of the calls
  return std::unexpected(Failure());
}

SqlStatus Connection::Execute(const std::string& text) {
  pg_result* const result = PQexec(connection_.get(), text.c_str());
  const SqlRows rows(result);
  auto status = Check(result);
  if (!status) RollBack();
  return status;
}

SqlResult<bool> Connection::AwaitNotification(int stop) {
  for (bool notified = false;;) {
    while (PGnotify* const notification = PQnotifies(connection_.get())) {
      PQfreemem(notification);
      notified = true;
    }
    if (notified) return true;
    std::array<pollfd, 2> files{pollfd{PQsocket(connection_.get()), POLLIN, 0}, pollfd{stop, POLLIN, 0}};
    if (::poll(files.data(), files.size(), -1) < 0 && errno != EINTR) return std::unexpected(Failure());
    if (files[1].revents != 0) return false;
    if (PQconsumeInput(connection_.get()) != 1) return std::unexpected(Failure());
  }
}

// A session in a failed transaction answers nothing but this.
void Connection::RollBack() {
  if (lost_ || PQstatus(connection_.get()) != CONNECTION_OK) return;
  if (PQtransactionStatus(connection_.get()) != PQTRANS_IDLE) PQclear(PQexec(connection_.get(), "ROLLBACK"));
}

}  // namespace turnlog
