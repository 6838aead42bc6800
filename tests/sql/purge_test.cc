// What the database keeps of erased and redacted events.
#include <libpq-fe.h>

#include <algorithm>

#include "tests/log_conformance/stored_text.h"
#include "tests/sql/sql_fixture.h"
#include "tests/support/destroying.h"
#include "tests/support/memory.h"
#include "turnlog/redaction/redact.h"

namespace turnlog::purge_test {
namespace {

using testing::IsEmpty;
using testing::Not;

class UnreadableObjects : public StorageVisitor {
 public:
  void OnPiece(const StoragePiece&) override {}
  void OnEntry(std::string_view, std::string_view, std::string_view) override {}
  void OnUnreadable(std::string_view object, std::string_view) override { names.emplace_back(object); }

  std::vector<std::string> names;
};

// How many rows it is shown, and how much memory the process has meanwhile.
class RowCounter : public StorageVisitor {
 public:
  void OnPiece(const StoragePiece&) override {}
  void OnEntry(std::string_view object, std::string_view, std::string_view) override {
    ++(object == "turnlog_event" ? events : states);
    most_kib = std::max(most_kib, ResidentKib());
  }
  void OnUnreadable(std::string_view, std::string_view) override {}

  std::uint64_t events = 0, states = 0, most_kib = 0;
};

class PurgeTest : public Destroying<SqlTest> {
 protected:
  static std::vector<std::string> Unreadable(Log& log) {
    UnreadableObjects visitor;
    Must(log.VisitStorage({.overlap = 8, .progress = {}}, visitor));
    return visitor.names;
  }
  // "table.column", of the store, of which the planner keeps samples.
  std::string SampledColumns() const {
    return server().Ask("SELECT string_agg(tablename || '.' || attname, ' ') FROM pg_stats WHERE schemaname = '" +
                        schema_->name() + "'");
  }
};

TEST_F(PurgeTest, NothingIsLeftInTheFiles) {
  const std::string large = std::string(20'000, 'x') + std::string(kPlanted) + std::string(20'000, 'y');
  const std::string huge = std::string(3 << 20, 'x') + std::string(kPlanted);
  for (int i = 0; i < 50; ++i) Must(log_->Append(Id("a"), Say(std::string(kPlanted) + std::to_string(i))));
  Must(Append(*log_, "a", {Say(large), Say(huge), Say("stays")}));
  EXPECT_THAT(StoredObjectsWith(*log_, kPlanted), Not(IsEmpty()));
  std::vector<Change> changes;
  for (std::uint64_t seq = 1; seq <= 51; ++seq) changes.push_back({seq, Say("[redacted]")});
  Must(Redact("a", changes));
  Must(Erase("a", {52}));
  EXPECT_THAT(Unreadable(*log_), Not(IsEmpty()));  // old versions may be in the files
  Must(log_->Checkpoint());
  EXPECT_THAT(Unreadable(*log_), IsEmpty());
  EXPECT_THAT(StoredObjectsWith(*log_, kPlanted), IsEmpty());
  EXPECT_THAT(StoredObjectsWith(*log_, "stays"), Not(IsEmpty()));
}

// What was rolled back is in no row, and nothing but the search knows of it.
TEST_F(PurgeTest, WhatWasRolledBackIsPurgedOnceItIsFound) {
  Must(log_->Append(Id("a"), Say("stays")));
  Run("BEGIN; INSERT INTO turnlog_event SELECT lane, conv, 99, kind, state, turn, tag, checksum, parts, '" +
      std::string(kPlanted) + "'::text::bytea, events FROM turnlog_event; ROLLBACK");
  ASSERT_THAT(StoredObjectsWith(*log_, kPlanted), Not(IsEmpty()));
  Must(log_->Checkpoint());
  ASSERT_THAT(StoredObjectsWith(*log_, kPlanted), Not(IsEmpty()));
  const auto redaction = Must(Redaction::Plan(*log_, {.values = {std::string(kPlanted)}}));
  Must(redaction->Apply("test"));
  const RedactionProof proof = Must(redaction->Prove());
  EXPECT_TRUE(proof.clean());
  EXPECT_EQ(proof.left_count, 0U);
  EXPECT_THAT(StoredObjectsWith(*log_, kPlanted), IsEmpty());
  EXPECT_THAT(Unreadable(*log_), IsEmpty());
}

TEST_F(PurgeTest, FindsValuesThatToastHasSplit) {
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += "value-" + std::to_string(100'000 + i) + " ";
  Must(log_->Append(Id("a"), Say(text)));
  for (int i = 0; i < 2'000; i += 37) {
    EXPECT_THAT(StoredObjectsWith(*log_, "value-" + std::to_string(100'000 + i)), Not(IsEmpty())) << i;
  }
}

// A state that a consumer empties has held what must go, such as hashes of what is redacted.
TEST_F(PurgeTest, NothingIsLeftOfAnEmptiedState) {
  Must(log_->Append(Id("a"), Say("1")));
  Must(log_->SetWatermark("test", Id("a"), {{1}, std::string(kPlanted)}));
  EXPECT_THAT(StoredObjectsWith(*log_, kPlanted), Not(IsEmpty()));
  Must(log_->SetWatermark("test", Id("a"), {}));
  EXPECT_THAT(Unreadable(*log_), Not(IsEmpty()));
  Must(log_->Checkpoint());
  EXPECT_THAT(Unreadable(*log_), IsEmpty());
  EXPECT_THAT(StoredObjectsWith(*log_, kPlanted), IsEmpty());
}

// Otherwise every checkpoint of a consumer without a state would rewrite the tables.
TEST_F(PurgeTest, AStateThatWasEmptyNeedsNoPurge) {
  Must(log_->Append(Id("a"), Say("1")));
  for (const std::uint64_t head : {0U, 1U, 1U}) Must(log_->SetWatermark("test", Id("a"), {{head}, ""}));
  EXPECT_THAT(Unreadable(*log_), IsEmpty());
}

// Rows are asked for by pages of a few MiB.
TEST_F(PurgeTest, TheSearchShowsEveryRowAndHoldsFew) {
  const Event large = Say(std::string(1'000'000, 'x'));
  for (int i = 0; i < 64; ++i) {
    Must(log_->Append(Id("a"), large, {.durability = Durability::kBuffered, .expected_last = {}}));
  }
  for (int i = 0; i < 600; ++i) Must(log_->Append(Id(std::to_string(i % 8)), Say("x")));
  for (int i = 0; i < 300; ++i) Must(log_->SetWatermark("test", Id(std::to_string(i)), {{}, "state"}));
  RowCounter visitor;
  const std::uint64_t before = ResidentKib();
  Must(log_->VisitStorage({.overlap = 8, .progress = {}}, visitor));
  EXPECT_EQ(visitor.events, 664U);
  EXPECT_EQ(visitor.states, 300U);
  if (kSanitized) return;  // sanitizers keep what is freed
  EXPECT_LT(visitor.most_kib, before + (40U << 10));
}

// VACUUM keeps what an older transaction may still read.
TEST_F(PurgeTest, WaitsForOlderSnapshots) {
  Must(log_->Append(Id("a"), Say(kPlanted)));
  PGconn* reader = PQconnectdb(schema_->Url().c_str());
  PQclear(PQexec(reader, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM turnlog_event"));
  Must(Redact("a", {{1, Say("[redacted]")}}));
  Must(log_->Checkpoint());
  EXPECT_THAT(Unreadable(*log_), Not(IsEmpty()));
  PQfinish(reader);
  Must(log_->Checkpoint());
  EXPECT_THAT(Unreadable(*log_), IsEmpty());
  EXPECT_THAT(StoredObjectsWith(*log_, kPlanted), IsEmpty());
}

// They see nothing of this one.
TEST_F(PurgeTest, DoesNotWaitForTransactionsOfOtherDatabases) {
  server().Run("CREATE DATABASE elsewhere");
  std::string url = server().Url();
  url.replace(url.find("/postgres?"), 10, "/elsewhere?");
  Must(log_->Append(Id("a"), Say(kPlanted)));
  PGconn* reader = PQconnectdb(url.c_str());
  PQclear(PQexec(reader, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class"));
  EXPECT_EQ(PQtransactionStatus(reader), PQTRANS_INTRANS);
  Must(Redact("a", {{1, Say("[redacted]")}}));
  Must(log_->Checkpoint());
  EXPECT_THAT(Unreadable(*log_), IsEmpty());
  EXPECT_THAT(StoredObjectsWith(*log_, kPlanted), IsEmpty());
  PQfinish(reader);
}

// A transaction that has written something is one, too, while it has no snapshot.
TEST_F(PurgeTest, WaitsForOlderTransactions) {
  Run("CREATE TABLE elsewhere (one int4)");
  Must(log_->Append(Id("a"), Say(kPlanted)));
  PGconn* writer = PQconnectdb(schema_->Url().c_str());
  PQclear(PQexec(writer, "BEGIN; INSERT INTO elsewhere VALUES (1)"));
  Must(Redact("a", {{1, Say("[redacted]")}}));
  Must(log_->Checkpoint());
  EXPECT_THAT(Unreadable(*log_), Not(IsEmpty()));
  PQfinish(writer);
}

TEST_F(PurgeTest, ReportsWhatTheRoleMayNotDo) {
  const auto log = Must(OpenSqlLog(UrlOf("writes_only", "ALL")));
  Must(log->Append(Id("a"), Say(kPlanted)));
  const std::vector<Seq> seqs{{1}};
  Must(log->Erase(Id("a"), seqs));
  Must(log->Checkpoint());  // it may not rewrite tables of another role
  EXPECT_THAT(Unreadable(*log), testing::Contains("turnlog_event"));
  EXPECT_THAT(Unreadable(*log_), testing::ElementsAre("turnlog_event"));
  Must(log_->Checkpoint());
  EXPECT_THAT(Unreadable(*log_), IsEmpty());
  EXPECT_THAT(Unreadable(*log), Not(IsEmpty()));  // it may not read the server's files
}

// A conflict would fail the transaction of all that is appended at the same time.
TEST_F(PurgeTest, AnAppendAfterARedactionIsNoConflict) {
  const auto conflicts = [] {
    const std::string log = server().Log();
    std::size_t count = 0;
    for (std::size_t at = 0; (at = log.find("division by zero", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  Must(log_->Append(Id("a"), Say("1")));
  const std::size_t before = conflicts();
  Must(Redact("a", {{1, Say("[redacted]")}}));
  EXPECT_THAT(Seqs(log_->Append(Id("a"), Say("3"))), testing::ElementsAre(3));
  EXPECT_EQ(conflicts(), before);
}

// ANALYZE, which the server runs by itself, keeps samples of columns.
TEST_F(PurgeTest, ThePlannerTakesNoSamplesOfContents) {
  for (int i = 0; i < 20; ++i) Must(log_->Append(Id("a"), Say(std::string(kPlanted) + std::to_string(i))));
  Must(log_->SetWatermark("test", Id("a"), {{1}, std::string(kPlanted)}));
  Run("ANALYZE turnlog_event; ANALYZE turnlog_part; ANALYZE turnlog_watermark");
  EXPECT_THAT(SampledColumns(), Not(testing::HasSubstr("payload")));
  EXPECT_THAT(SampledColumns(), Not(testing::HasSubstr("watermark.state")));
  EXPECT_THAT(SampledColumns(), testing::HasSubstr("turnlog_event.seq"));
}

TEST_F(PurgeTest, SamplesOfEarlierVersionsAreRemoved) {
  Run("ALTER TABLE turnlog_event ALTER COLUMN payload SET STATISTICS 100");
  for (int i = 0; i < 20; ++i) Must(log_->Append(Id("a"), Say(std::string(kPlanted) + std::to_string(i))));
  Run("ANALYZE turnlog_event");
  ASSERT_THAT(SampledColumns(), testing::HasSubstr("turnlog_event.payload"));
  EXPECT_THAT(Unreadable(*log_), testing::Contains("pg_statistic"));
  Must(Erase("a", {1}));
  Must(log_->Checkpoint());
  EXPECT_THAT(SampledColumns(), Not(testing::HasSubstr("turnlog_event.payload")));
  EXPECT_THAT(Unreadable(*log_), IsEmpty());
  Run("ANALYZE turnlog_event");
  EXPECT_THAT(SampledColumns(), Not(testing::HasSubstr("turnlog_event.payload")));
  // The tables store contents as before: uncompressed.
  EXPECT_EQ(server().Ask("SELECT string_agg(DISTINCT attstorage::text, '') FROM pg_attribute WHERE attname IN "
                         "('payload') AND attrelid IN (SELECT oid FROM pg_class WHERE relname IN ('turnlog_event', "
                         "'turnlog_part') AND relnamespace = '" +
                         schema_->name() + "'::regnamespace)"),
            "e");
}

}  // namespace
}  // namespace turnlog::purge_test
