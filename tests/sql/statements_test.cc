// What is sent to the server keeps to what the engines share that speak PostgreSQL's protocol, as docs/sql_engine.md
// lists it. The server's log says what was sent.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "tests/sql/sql_fixture.h"
#include "tests/support/destroying.h"

namespace turnlog::statements_test {
namespace {

using testing::ContainsRegex;
using testing::IsEmpty;
using testing::Not;

// The text of each statement, by its name; those without one are numbered.
using Statements = std::map<std::string, std::string>;

Statements StatementsIn(const std::string& log) {
  static const std::regex statement(R"(LOG:  (?:execute (\w+)|statement): (.*))");
  Statements statements;
  std::string* last = nullptr;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::min<std::size_t>(line.size(), 4096));  // the rest is contents
    std::smatch match;
    if (line.starts_with('\t') && last != nullptr) {
      *last += line;
    } else if (std::regex_search(line, match, statement)) {
      last = &statements[match[1].matched ? match.str(1) : std::to_string(statements.size())];
      *last = match.str(2);
    } else {
      last = nullptr;
    }
  }
  return statements;
}

constexpr const char* kNamesLane =
    R"(lane = [$]1|\(lane,.* VALUES \([$]1|INSERT INTO turnlog_[a-z_]+ VALUES \([$]1|\(VALUES \([$]1::int,)";

class LogTest : public testing::Test {
 protected:
  std::unique_ptr<Log> log_;
};

class StatementsTest : public Destroying<LogTest> {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << PostgresServer::kMissing;
    server_ =
        std::make_unique<PostgresServer>(std::vector<std::string>{"log_statement=all", "log_parameter_max_length=0"});
    log_ = Must(OpenSqlLog(server_->Url()));
  }
  void TearDown() override { log_.reset(); }  // before the server, which it would wait for
  Statements Sent() const { return StatementsIn(server_->Log().substr(seen_)); }
  void Forget() { seen_ = server_->Log().size(); }

  void AppendOfEveryKind() {
    const std::string large(3 << 20, 'x');
    const std::vector<Event> events{NewTurn(),           Named("e", Say("1")), Ask(Opaque("i")),
                                    Answer(Opaque("i")), Repaired(1, 2),       Say(large)};
    Must(log_->Append(Id("a"), events));
    Must(log_->Append(Id("a"), events.front(), {.durability = Durability::kBuffered, .expected_last = {}}));
    Must(log_->Append(Id("a"), events[1]));
    Must(log_->Append(Id("a"), Ask(Opaque("i"))));
    Must(log_->Append(Id("a"), Answer(Opaque("i"))));
  }
  // Until one transaction has inserted what several appends of each of these tables add.
  void AppendTogether() {
    const auto inserted = [&] {
      const Statements sent = Sent();
      return std::ranges::all_of(
          std::vector<std::string>{"turnlog_event", "turnlog_feed", "turnlog_inquiry"}, [&](const std::string& table) {
            return std::ranges::any_of(sent, [&](const auto& statement) {
              return statement.first.starts_with(table + "_insert_") && statement.first != table + "_insert_1";
            });
          });
    };
    for (int round = 0; !inserted(); ++round) {
      ASSERT_LT(round, 1000);
      std::vector<std::jthread> threads;
      for (int i = 0; i < 8; ++i) {
        threads.emplace_back([this, i, round] {
          const std::vector<Event> events{NewTurn(), Ask(Opaque("i")), Answer(Opaque("i"))};
          Must(log_->Append(Id(fmt::format("{}-{}", i, round)), events));
        });
      }
    }
  }
  void ReadInEveryWay() {
    EXPECT_THAT(Lines(*log_, "a"), Not(IsEmpty()));
    EXPECT_THAT(Lines(*log_, "a", {.from = {0}, .from_turn = {}, .last_turns = {}, .backward = true}), Not(IsEmpty()));
    EXPECT_THAT(Lines(*log_, "a", {.from = {1}, .from_turn = {}, .last_turns = 1}), Not(IsEmpty()));
    EXPECT_THAT(TailLines(*Must(log_->Follow({}, {}))), Not(IsEmpty()));
    (void)Must(log_->Repairs(Id("a")));
    (void)Must(log_->FindInquiry(Id("a"), {"i", {}}));
    (void)Must(log_->Pending({}));
    (void)Must(log_->Pending(Id("a")));
    (void)Must(log_->List("", 10));
    (void)Must(log_->Stats());
    (void)Must(log_->ListChanged("test", "", 10, Changes::kAll));
    Must(log_->SetWatermark("test", Id("a"), {{1}, "state"}));
    (void)Must(log_->FindWatermark("test", Id("a")));
    (void)Must(log_->ListChanged("test", "", 10, Changes::kRepaired));
  }

  std::unique_ptr<PostgresServer> server_;

 private:
  std::size_t seen_ = 0;
};

// A distributed engine sends each of them to one node.
TEST_F(StatementsTest, EachStatementOfAnAppendNamesItsLane) {
  Forget();
  AppendOfEveryKind();
  const Statements sent = Sent();
  EXPECT_GT(sent.size(), 15U);
  for (const auto& [name, text] : sent) {
    // Not what begins and ends a transaction or sets up a session, and not the hints outside of it.
    if (!text.contains("turnlog_") || text.contains("pg_notify")) continue;
    EXPECT_THAT(text, ContainsRegex(kNamesLane)) << name;
    EXPECT_THAT(text, Not(testing::HasSubstr("ON CONFLICT"))) << name;
  }
}

// What several appends add to a table is one statement, and each names its lanes.
TEST_F(StatementsTest, AppendsOfSeveralThreadsAreWrittenTogether) {
  Forget();
  AppendTogether();
  for (const auto& [name, text] : Sent()) {
    if (!text.contains("turnlog_") || text.contains("pg_notify")) continue;
    EXPECT_THAT(text, ContainsRegex(kNamesLane)) << name;
  }
}

TEST_F(StatementsTest, NothingIsUsedThatOnlySomeEnginesHave) {
  AppendOfEveryKind();
  AppendTogether();
  ReadInEveryWay();
  Must(Redact("a", {{6, Say("[redacted]")}}));
  Must(Erase("a", {2}));
  const Statements sent = Sent();
  EXPECT_GT(sent.size(), 30U);
  const std::regex forbidden(
      "\\b(TRIGGER|FUNCTION|REFERENCES|FOREIGN KEY|CHECK \\(|DEFAULT|NOT NULL|SERIAL|SEQUENCE|nextval|pg_advisory\\w*|"
      "FOR SHARE|MERGE|RETURNING|LISTEN|NOTIFY|xmin|ctid|txid_\\w+|pg_current_xact_id)\\b",
      std::regex::icase);
  for (const auto& [name, text] : sent) {
    std::smatch found;
    EXPECT_FALSE(std::regex_search(text, found, forbidden)) << name << ": " << found.str();
  }
}

// An error of a statement would print the row: a table with contents has no clause that a row can violate.
TEST_F(StatementsTest, TablesWithContentsHaveNothingButTheirKey) {
  for (const std::string table : {"turnlog_event", "turnlog_part", "turnlog_watermark"}) {
    EXPECT_EQ(server_->Ask("SELECT count(*) FROM pg_index WHERE indrelid = '" + table + "'::regclass"), "1") << table;
    EXPECT_EQ(server_->Ask("SELECT count(*) FROM pg_constraint WHERE conrelid = '" + table + "'::regclass"), "1");
    EXPECT_EQ(server_->Ask("SELECT count(*) FROM pg_attribute WHERE attnotnull AND attnum > 0 AND attrelid = '" +
                           table + "'::regclass AND attname IN ('payload', 'state')"),
              "0");
  }
}

}  // namespace
}  // namespace turnlog::statements_test
