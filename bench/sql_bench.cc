// The SQL engine against bare statements on a table without any index: what its promises cost. On the server that
// TURNLOG_BENCH_SQL names, e.g. postgresql:///bench, where it drops the tables of turnlog; or on one of its own, which
// keeps its files in memory.
#include <libpq-fe.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/coding.h"
#include "bench/register.h"
#include "bench/stores.h"
#include "tests/support/postgres_server.h"
#include "turnlog/sql_log.h"

namespace turnlog {
namespace {

using Clock = std::chrono::steady_clock;

// Of the rows that import and replay.
std::uint64_t Stored() { return std::max<std::uint64_t>(settings.scale_percent, 1) * 2'000; }

constexpr std::size_t kFillBatch = 200, kImportBatch = 2'000;
constexpr std::uint32_t kGrownConversations = 100;
constexpr int kPage = 1'000;
constexpr std::string_view kCopyHeader("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);

void AppendField(std::string& row, std::string_view value) {
  AppendBig(row, static_cast<std::uint32_t>(value.size()));
  row += value;
}

// Of the calls of one thread, of which it reports the 50th and 99th percentile.
class Latencies {
 public:
  template <class CallFn>
  void Time(CallFn call) {
    const auto start = Clock::now();
    call();
    nanos_.push_back((Clock::now() - start).count());
  }
  void Report(benchmark::State& state) {
    if (nanos_.empty()) return;
    std::ranges::sort(nanos_);
    state.counters["p50_us"] = {At(0.5), benchmark::Counter::kAvgThreads};
    state.counters["p99_us"] = {At(0.99), benchmark::Counter::kAvgThreads};
  }

 private:
  double At(double part) const {
    return static_cast<double>(nanos_[static_cast<std::size_t>(part * static_cast<double>(nanos_.size() - 1))]) / 1000;
  }

  std::vector<Clock::rep> nanos_;
};

// A connection with the statements of the peer.
class Bare {
 public:
  explicit Bare(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
    PQsetNoticeProcessor(connection_, [](void*, const char*) {}, nullptr);
  }
  ~Bare() { PQfinish(connection_); }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  void Run(const char* text) { Check(PQexec(connection_, text)); }
  void PrepareInsert() {
    Check(PQprepare(connection_, "insert", "INSERT INTO bare (payload) VALUES ($1)", 0, nullptr));
  }
  void Insert(std::string_view payload) {
    const char* value = payload.data();
    const int length = static_cast<int>(payload.size()), binary = 1;
    Check(PQexecPrepared(connection_, "insert", 1, &value, &length, &binary, 1));
  }
  void BeginCopy() {
    Check(PQexec(connection_, "COPY bare (payload) FROM STDIN BINARY"));
    Put(kCopyHeader);
  }
  void Copy(std::string_view payload) {
    std::string row;
    AppendBig<std::uint16_t>(row, 1);
    AppendField(row, payload);
    Put(row);
  }
  void EndCopy() {
    Put(std::string_view("\377\377", 2));
    if (PQputCopyEnd(connection_, nullptr) != 1) Fail(PQerrorMessage(connection_));
    Check(PQgetResult(connection_));
    while (PGresult* rest = PQgetResult(connection_)) Check(rest);
  }
  // A table that replays a conversation: its key, and a payload in each row.
  void Fill() {
    Run("CREATE TABLE bare_events (lane integer, conv uuid, seq bigint, payload bytea, PRIMARY KEY (lane, conv, seq));"
        "ALTER TABLE bare_events ALTER COLUMN payload SET STORAGE EXTERNAL");
    Check(PQexec(connection_, "COPY bare_events FROM STDIN BINARY"));
    Put(kCopyHeader);
    Script script(Mix::kSmall, 0, 1);
    for (std::uint64_t seq = 0; seq < Stored();) {
      for (const std::string& payload : script.Take(kFillBatch).payloads) {
        std::string row;
        AppendBig<std::uint16_t>(row, 4);
        AppendField(row, std::string(4, '\0'));
        AppendField(row, std::string(16, '\0'));
        std::string number;
        AppendBig(number, ++seq);
        AppendField(row, number);
        AppendField(row, payload);
        Put(row);
      }
    }
    EndCopy();
    Run("ANALYZE bare_events");
  }
  // Its payloads by keyset pages, of which each is timed.
  Seen Select(Latencies& latencies) {
    Seen seen;
    const std::string lane(4, '\0'), conv(16, '\0');
    std::string last(8, '\0');
    for (int rows = kPage; rows == kPage;) {
      const char* values[] = {lane.data(), conv.data(), last.data()};
      const int lengths[] = {4, 16, 8}, formats[] = {1, 1, 1};
      PGresult* page = nullptr;
      latencies.Time([&] {
        page = PQexecParams(connection_,
                            "SELECT seq, payload FROM bare_events WHERE lane = $1 AND conv = $2 AND seq > $3 "
                            "ORDER BY seq LIMIT 1000",
                            3, nullptr, values, lengths, formats, 1);
        rows = PQntuples(page);
        for (int row = 0; row < rows; ++row) seen.check += static_cast<unsigned char>(*PQgetvalue(page, row, 1));
      });
      seen.events += static_cast<std::uint64_t>(rows);
      if (rows > 0) last.assign(PQgetvalue(page, rows - 1, 0), 8);
      Check(page);
    }
    return seen;
  }

 private:
  void Put(std::string_view bytes) {
    if (PQputCopyData(connection_, bytes.data(), static_cast<int>(bytes.size())) != 1)
      Fail(PQerrorMessage(connection_));
  }
  void Check(PGresult* result) {
    const ExecStatusType status = PQresultStatus(result);
    PQclear(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_COPY_IN) {
      Fail(PQerrorMessage(connection_));
    }
  }

  PGconn* connection_;
};

void DropTables(const std::string& url) {
  Bare(url).Run(
      "DROP TABLE IF EXISTS bare, bare_events, turnlog_store, turnlog_lane, turnlog_head, turnlog_event, turnlog_part, "
      "turnlog_event_id, turnlog_turn, turnlog_inquiry, turnlog_pending, turnlog_repair, turnlog_watermark, "
      "turnlog_feed, turnlog_consumer, turnlog_changed;"
      "CREATE TABLE bare (payload bytea); ALTER TABLE bare ALTER COLUMN payload SET STORAGE EXTERNAL");
}

ConversationId IdOf(std::uint32_t conversation) { return Must(ConversationId::Parse(ConversationName(conversation))); }

// Reports the latencies of the call.
template <class CallFn>
void Timed(benchmark::State& state, CallFn call) {
  Latencies latencies;
  for (auto _ : state) latencies.Time(call);
  latencies.Report(state);
}

// Each event waits for its own commit.
template <class AppendFn>
void Waited(benchmark::State& state, AppendFn append) {
  Script script(Mix::kSmall, static_cast<std::uint32_t>(state.thread_index()), 1);
  Timed(state, [&] { append(script.Take(1)); });
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void RegisterWaited(const std::string& url, int writers) {
  const std::string row = fmt::format("sync, {} writer{}, each waited for, small", writers, writers == 1 ? "" : "s");
  auto log = std::make_shared<std::unique_ptr<Log>>();
  RegisterRow(row, "turnlog", [url, log](benchmark::State& state) {
    if (state.thread_index() == 0) {
      DropTables(url);
      *log = Must(OpenSqlLog(url));
    }
    Waited(state, [&](const Batch& batch) { Must((*log)->Append(IdOf(batch.conversation), batch.events)); });
    if (state.thread_index() == 0) log->reset();
  })->Threads(writers);
  RegisterRow(row, "bare INSERT", [url](benchmark::State& state) {
    if (state.thread_index() == 0) DropTables(url);
    std::optional<Bare> bare;
    Waited(state, [&](const Batch& batch) {
      if (!bare) bare.emplace(url).PrepareInsert();
      bare->Insert(batch.payloads.front());
    });
  })->Threads(writers);
}

void FillStore(const std::string& url) {
  const auto log = Must(OpenSqlLog(url));
  Script script(Mix::kSmall, 0, 1);
  for (std::uint64_t done = 0; done < Stored(); done += kFillBatch) {
    const Batch batch = script.Take(kFillBatch);
    Must(log->Append(IdOf(batch.conversation), batch.events,
                     {.durability = Durability::kBuffered, .expected_last = {}}));
  }
  Must(log->Close());
}

// A store of 100 conversations that has grown to so many events, at full scale: what one more append, one read and a
// look at the ends of all lanes cost then.
void RegisterGrowth(const std::string& url, std::uint64_t full_scale) {
  const std::uint64_t events = full_scale * std::max<std::uint64_t>(settings.scale_percent, 1) / 100;
  const auto log = std::make_shared<std::unique_ptr<Log>>();
  const auto script = std::make_shared<std::unique_ptr<Script>>();
  const auto open = [url, events, log, script] {
    if (*log != nullptr && Must((*log)->Stats()).events >= events) return;
    log->reset();
    DropTables(url);
    *log = Must(OpenSqlLog(url));
    *script = std::make_unique<Script>(Mix::kSmall, 0, kGrownConversations);
    for (std::uint64_t done = 0; done < events; done += kFillBatch) {
      const Batch batch = (*script)->Take(kFillBatch);
      Must((*log)->Append(IdOf(batch.conversation), batch.events,
                          {.durability = Durability::kBuffered, .expected_last = {}}));
    }
  };
  const std::string size = fmt::format("{} events", full_scale);
  RegisterRow("growth, a sync append", size, [open, log, script](benchmark::State& state) {
    open();
    Timed(state, [&] {
      const Batch batch = (*script)->Take(1);
      Must((*log)->Append(IdOf(batch.conversation), batch.events));
    });
  })->Unit(benchmark::kMicrosecond);
  // A small scale does not reach all conversations.
  const auto filled =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(events / kFillBatch, 1, kGrownConversations));
  RegisterRow("growth, the last 20 events", size, [open, log, filled](benchmark::State& state) {
    open();
    std::uint32_t next = 0;
    Timed(state, [&] {
      const auto cursor = Must((*log)->ReadRaw(IdOf(next++ % filled), {.backward = true, .limit = 20}));
      while (std::holds_alternative<Record>(Must(cursor->Next()))) {
      }
    });
  })->Unit(benchmark::kMicrosecond);
  RegisterRow("growth, the end of the feed", size, [open, log](benchmark::State& state) {
    open();
    Timed(state, [&] { benchmark::DoNotOptimize(Must((*log)->End())); });
    log->reset();
  })->Unit(benchmark::kMicrosecond);
}

void CountAll(benchmark::State& state) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(Stored()));
}

// Each writer has a conversation and its part of the events, which are durable at the end.
void RegisterBulk(const std::string& url, std::size_t batch, int writers) {
  const std::string row =
      fmt::format("bulk, {} events at a time, {} writer{}, small", batch, writers, writers == 1 ? "" : "s");
  const auto log = std::make_shared<std::unique_ptr<Log>>();
  const std::uint64_t each = Stored() / static_cast<std::uint64_t>(writers);
  const auto count = [each](benchmark::State& state) {
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(each));
  };
  RegisterRow(row, "turnlog",
              [=](benchmark::State& state) {
                if (state.thread_index() == 0) {
                  DropTables(url);
                  *log = Must(OpenSqlLog(url));
                }
                Script script(Mix::kSmall, static_cast<std::uint32_t>(state.thread_index()), 1);
                Latencies latencies;  // of the appends
                for (auto _ : state) {
                  Ticket last;
                  for (std::uint64_t done = 0; done < each; done += batch) {
                    const Batch events = script.Take(batch);
                    const AppendOptions options{.durability = Durability::kBuffered, .expected_last = Seq{done}};
                    latencies.Time([&] {
                      last = Must((*log)->AppendLater(IdOf(events.conversation), events.events, options)).ticket;
                    });
                  }
                  Must((*log)->Wait(last, Durability::kSync));
                }
                latencies.Report(state);
                count(state);
                if (state.thread_index() == 0) log->reset();
              })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Threads(writers);
  RegisterRow(row, "bare COPY",
              [=](benchmark::State& state) {
                if (state.thread_index() == 0) DropTables(url);
                Script script(Mix::kSmall, static_cast<std::uint32_t>(state.thread_index()), 1);
                Bare bare(url);
                for (auto _ : state) {
                  bare.BeginCopy();
                  for (std::uint64_t done = 0; done < each; done += batch) {
                    for (const std::string& payload : script.Take(batch).payloads) bare.Copy(payload);
                  }
                  bare.EndCopy();
                }
                count(state);
              })
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Threads(writers);
}

// Whether there are more.
bool ReadPage(Cursor& cursor, Seen& seen) {
  for (int row = 0; row < kPage; ++row) {
    const Item item = Must(cursor.Next());
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return false;
    ++seen.events;
    seen.check += static_cast<unsigned char>(record->payload.front());
  }
  return true;
}

void RegisterReplay(const std::string& url) {
  RegisterRow("replay, one conversation, small", "turnlog", [url](benchmark::State& state) {
    DropTables(url);
    FillStore(url);
    const auto log = Must(OpenSqlLog(url));
    Latencies latencies;  // of as many events as a page of the peer
    for (auto _ : state) {
      Seen seen;
      const auto cursor = Must(log->ReadRaw(IdOf(0)));
      for (bool more = true; more;) latencies.Time([&] { more = ReadPage(*cursor, seen); });
      if (!SawAll(state, seen, Stored())) break;
    }
    latencies.Report(state);
    CountAll(state);
  })->Unit(benchmark::kMillisecond);
  RegisterRow("replay, one conversation, small", "bare SELECT", [url](benchmark::State& state) {
    DropTables(url);
    Bare bare(url);
    bare.Fill();
    Latencies latencies;
    for (auto _ : state) {
      if (!SawAll(state, bare.Select(latencies), Stored())) break;
    }
    latencies.Report(state);
    CountAll(state);
  })->Unit(benchmark::kMillisecond);
}

}  // namespace

void RegisterBenchmarks() {
  const char* named = std::getenv("TURNLOG_BENCH_SQL");
  if (named == nullptr && !PostgresServer::IsInstalled()) return;
  const std::string url = named != nullptr ? named : PostgresServer::Shared().Url();
  for (const int writers : {1, 16}) RegisterWaited(url, writers);
  // An import appends a conversation of up to 8 MiB at once, and several at a time.
  for (const int writers : {1, 2, 8}) RegisterBulk(url, kFillBatch, writers);
  for (const int writers : {1, 2}) RegisterBulk(url, kImportBatch, writers);
  RegisterReplay(url);
  for (const std::uint64_t events : {10'000U, 100'000U, 1'000'000U, 10'000'000U}) RegisterGrowth(url, events);
}

}  // namespace turnlog
