// Usage of conversations that begin with a copy of others: each message once.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <regex>

#include "tests/migrate/usage_fixture.h"

namespace turnlog::copied_usage_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;

// Whatever the order is in which the conversations are read. Those with the lower ids are the copies.
class CopiedUsageTest : public UsageTest {
 protected:
  static std::string Session(int number) { return fmt::format("0a1b2c3d-4e5f-4061-8071-{:012d}", number); }
  // The records as a fork has them.
  static std::string Forked(const std::string& records, int origin) {
    return std::regex_replace(records, std::regex(R"("type":"assistant")"),
                              R"($&,"forkedFrom":{"sessionId":")" + Session(origin) + R"("})");
  }
  // What the conversations have written, by their names; counted in both orders.
  std::map<std::string, std::uint64_t> Output() {
    std::vector<ConversationId> ids = All();
    const UsageReport report = Must(CountUsage(*log_, UsageBy::kConversation, ids));
    std::ranges::reverse(ids);
    const UsageReport reversed = Must(CountUsage(*log_, UsageBy::kConversation, ids));
    std::map<std::string, std::uint64_t> output;
    for (const UsageRow& row : report.rows) output[row.name] = row.tokens.output;
    for (const UsageRow& row : reversed.rows) EXPECT_EQ(output[row.name], row.tokens.output) << row.name;
    EXPECT_THAT(reversed.rows, SizeIs(report.rows.size()));
    return output;
  }
};

// The fork was made before the last record of the message was written.
TEST_F(CopiedUsageTest, ForksCountWhatIsTheirOwn) {
  const std::string one = Claude("a", "m1", 1), two = Claude("b", "m2", 100, "2026-08-01T11:00:00Z");
  Write(File(3), one + Claude("c", "m1", 7));
  Write(File(2), Forked(one, 3) + two);
  Write(File(1), Forked(one + two, 2) + Claude("d", "m3", 1'000, "2026-08-01T12:00:00Z"));
  Import("claude-code");
  EXPECT_THAT(Output(), ElementsAre(Pair(Session(1), 1'000), Pair(Session(2), 100), Pair(Session(3), 7)));
  const std::vector<ConversationId> fork{Id(Session(2))};
  EXPECT_EQ(Must(CountUsage(*log_, UsageBy::kModel, fork)).sum.tokens.output, 101U);  // of what is counted alone
}

TEST_F(CopiedUsageTest, AForkWhoseOriginIsMissingCountsTheCopy) {
  const std::string one = Claude("a", "m1", 1), two = Claude("b", "m2", 100, "2026-08-01T11:00:00Z");
  Write(File(2), Forked(one, 3) + two);
  Write(File(1), Forked(one + two, 2));
  Import("claude-code");
  EXPECT_THAT(Output(), ElementsAre(Pair(Session(2), 101)));
  Settle();
  Write(File(3), one);
  Import("claude-code");
  EXPECT_THAT(Output(), ElementsAre(Pair(Session(2), 100), Pair(Session(3), 1)));
}

TEST_F(CopiedUsageTest, ResumedSessionsAndSubagentsCountWhatIsTheirOwn) {
  const std::string one = Claude("11111111-0000-4000-8000-000000000001", "m1", 1);
  const std::string more = Claude("11111111-0000-4000-8000-000000000002", "m1", 7);
  const std::string own = Claude("11111111-0000-4000-8000-000000000003", "m2", 100, "2026-08-02T00:00:00Z");
  Write(File(2), one + more);
  Write(File(1), one + own);
  Write("in/" + Session(2) + "/subagents/agent-q.jsonl",
        one + Claude("11111111-0000-4000-8000-000000000004", "m3", 1'000, "2026-08-03T00:00:00Z"));
  Import("claude-code");
  EXPECT_THAT(Output(), ElementsAre(Pair(Session(1), 100), Pair(Session(2), 7), Pair(Session(2) + "/agent-q", 1'000)));
}

// The session that ended first is taken for the origin of the other one, which has all of the message.
TEST_F(CopiedUsageTest, ACopyThatEndsWithinAMessageHasFewerOfItsTokens) {
  const std::string one = Claude("11111111-0000-4000-8000-000000000001", "m1", 1);
  const std::string more = Claude("11111111-0000-4000-8000-000000000002", "m1", 7);
  Write(File(1), one + Claude("11111111-0000-4000-8000-000000000003", "m2", 100, "2026-08-01T11:00:00Z"));
  Write(File(2), one + more + Claude("11111111-0000-4000-8000-000000000004", "m3", 1'000, "2026-08-01T12:00:00Z"));
  Import("claude-code");
  EXPECT_THAT(Output(), ElementsAre(Pair(Session(1), 107), Pair(Session(2), 1'000)));
}

// Forks of opencode are not marked, but begin later.
TEST_F(CopiedUsageTest, ForksOfOpencodeCountWhatIsTheirOwn) {
  const auto session = [](const std::string& id, int created, const std::string& messages) {
    return fmt::format(R"({{"info":{{"id":"{}","time":{{"created":17300000{:02}000}}}},"messages":[{}]}})", id, created,
                       messages);
  };
  const auto message = [](const std::string& id, const std::string& info) {
    return R"({"info":{"id":")" + id + "\"," + info + R"(},"parts":[{"type":"text","text":"x"}]})";
  };
  const std::string one = Info(1, Tokens(10, 1)), two = Info(50, Tokens(10, 100));
  Write("in/origin.json", session("ses_z", 1, message("m1", one)));
  Write("in/fork.json", session("ses_a", 50, message("m3", one) + "," + message("m4", two)));
  Import("opencode");
  EXPECT_THAT(Output(), ElementsAre(Pair("ses_a", 101), Pair("ses_z", 2)));
}

TEST_F(CopiedUsageTest, ForksInADatabaseOfOpencodeCountWhatIsTheirOwn) {
  TestDatabase database(dir_ / "in/opencode.db");
  database.Run(
      "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, time_created INTEGER, time_updated INTEGER);"
      "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_updated INTEGER, data TEXT);"
      "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_updated INTEGER, data TEXT);");
  const auto insert = [&](const std::string& table, const std::string& values) {
    database.Run("INSERT INTO " + table + " VALUES (" + values + ");");
  };
  for (const auto& [id, created] : {std::pair("a", "1730000060000"), std::pair("z", "1730000002000")}) {
    insert("session", fmt::format("'{}',NULL,{},1", id, created));
    insert("message", fmt::format("'m{0}','{0}',1,", id) + Quoted("{" + Info(2, Tokens(10, 1'000)) + "}"));
    insert("part", fmt::format("'p{0}','m{0}','{0}',1,", id) + Quoted(R"({"type":"text","text":"x"})"));
  }
  Import("opencode");
  EXPECT_THAT(Output(), ElementsAre(Pair("z", 1'001)));
}

}  // namespace
}  // namespace turnlog::copied_usage_test
