// Connections cut in every phase of an append, and servers that restart: each event is there exactly once.
#include <csignal>
#include <thread>

#include "tests/sql/sql_fixture.h"
#include "tests/support/cutting_proxy.h"
#include "tests/support/destroying.h"

namespace turnlog::lost_connection_test {
namespace {

using testing::ElementsAre;

class LostConnectionTest : public SqlTest {
 protected:
  std::unique_ptr<Log> OpenThrough(const CuttingProxy& proxy) {
    std::string url = schema_->Url();
    const std::size_t begin = url.find("host=") + 5;
    url.replace(begin, url.find('&') - begin, proxy.folder());
    return Must(OpenSqlLog(url));
  }

  // Cuts after 0, 1 * step, 2 * step, ... bytes, until the append does not send so many.
  void CutEverywhere(CuttingProxy::Direction direction, std::size_t step, bool expect) {
    CuttingProxy proxy(server().socket());
    const auto log = OpenThrough(proxy);
    std::uint64_t last = 0;
    bool cut = true;
    for (std::size_t bytes = 0; cut; bytes += step) {
      SCOPED_TRACE(bytes);
      Must(log->Append(Id("a"), Say("before")));  // a connection that knows the statements, and the head
      last += 1;
      AppendOptions options;
      if (expect) options.expected_last = Seq{last};
      proxy.CutAfter(direction, bytes);
      const auto appended = Append(*log, "a", std::vector<Event>{Say("x"), Say("y")}, options);
      cut = proxy.HasCut();
      ASSERT_THAT(Seqs(appended), ElementsAre(last + 1, last + 2));
      last += 2;
      ASSERT_EQ(Must(log_->Info(Id("a"))).last.value, last);
    }
    EXPECT_GT(last, 30U);  // many cuts
    std::vector<std::string> expected;
    for (std::uint64_t seq = 1; seq <= last; ++seq) {
      expected.push_back(std::to_string(seq) + (seq % 3 == 1 ? " 0 before" : seq % 3 == 2 ? " 0 x" : " 0 y"));
    }
    EXPECT_EQ(Lines(*log_, "a"), expected);
  }
};

TEST_F(LostConnectionTest, BytesToTheServerAreLost) { CutEverywhere(CuttingProxy::Direction::kToServer, 23, false); }

TEST_F(LostConnectionTest, AnswersOfTheServerAreLost) { CutEverywhere(CuttingProxy::Direction::kToClient, 5, false); }

TEST_F(LostConnectionTest, AnExpectedSeqDoesNotConflictWithItsOwnAppend) {
  CutEverywhere(CuttingProxy::Direction::kToClient, 7, true);
}

// A conflict is no reason to connect again.
TEST_F(LostConnectionTest, AConflictKeepsItsConnection) {
  const auto log = OpenStore({.holder = "conflicting", .connections = 1});
  const auto session = [&] {
    return server().Ask(
        "SELECT coalesce(string_agg(pid::text, ' '), '') FROM pg_stat_activity WHERE application_name = 'conflicting'");
  };
  Must(log->Append(Id("a"), Say("1")));
  const std::string before = session();
  ASSERT_NE(before, "");
  for (std::uint64_t seq = 2; seq < 12; seq += 2) {
    Must(log_->Append(Id("a"), Say("of another process")));
    EXPECT_THAT(Seqs(log->Append(Id("a"), Say("x"))), ElementsAre(static_cast<std::int64_t>(seq + 1)));
  }
  EXPECT_EQ(session(), before);
}

// Every phase of the first append of a process: it connects, sets up its session, prepares statements, finds no head.
// A new conversation each time, with all that an append can write beside its events.
TEST_F(LostConnectionTest, TheFirstAppendOfAConversationIsThereOnce) {
  for (const auto direction : {CuttingProxy::Direction::kToServer, CuttingProxy::Direction::kToClient}) {
    CuttingProxy proxy(server().socket());
    int conversations = 0;
    bool cut = true;
    for (std::size_t bytes = 0; cut; bytes += direction == CuttingProxy::Direction::kToServer ? 211 : 53) {
      SCOPED_TRACE(bytes);
      const auto log = OpenThrough(proxy);
      const std::string name = std::to_string(static_cast<int>(direction)) + " " + std::to_string(++conversations);
      proxy.CutAfter(direction, bytes);
      ASSERT_THAT(Seqs(Append(*log, name, {NewTurn(), Named("e", Ask(Opaque("i"))), Repaired(1, 2)})),
                  ElementsAre(1, 2, 3));
      ASSERT_EQ(Lines(*log_, name).size(), 3U);
      ASSERT_THAT(AttemptLines(*log_, name, Opaque("i")), ElementsAre("t1 2..-"));  // repaired
      cut = proxy.HasCut();
      proxy.CutAfter(direction, INT32_MAX);
    }
    EXPECT_GT(conversations, 10);
  }
}

// So many rows that they take several statements.
TEST_F(LostConnectionTest, ManyEventsAreThereOnce) {
  const std::vector<Event> events(400, Say(std::string(800, 'x')));
  for (const auto direction : {CuttingProxy::Direction::kToServer, CuttingProxy::Direction::kToClient}) {
    CuttingProxy proxy(server().socket());
    const auto log = OpenThrough(proxy);
    const std::string name = direction == CuttingProxy::Direction::kToServer ? "there" : "back";
    std::uint64_t last = 0;
    int cuts = -1;
    for (std::size_t bytes = 0; cuts < 0 || proxy.HasCut(); ++cuts) {
      SCOPED_TRACE(bytes);
      Must(log->Append(Id(name), Say("before")));
      proxy.CutAfter(direction, bytes);
      ASSERT_EQ(Seqs(Append(*log, name, events)).back(), static_cast<std::int64_t>(last + 401));
      last += 401;
      ASSERT_EQ(Must(log_->Info(Id(name))).last.value, last);
      bytes += direction == CuttingProxy::Direction::kToClient ? 17 : bytes < 2'000 ? 311 : 40'009;
    }
    EXPECT_GT(cuts, 10);
    EXPECT_EQ(Lines(*log_, name).size(), last);
  }
}

TEST_F(LostConnectionTest, ARedactionIsThereOnce) {
  for (const auto direction : {CuttingProxy::Direction::kToServer, CuttingProxy::Direction::kToClient}) {
    CuttingProxy proxy(server().socket());
    const auto log = OpenThrough(proxy);
    const std::string name = direction == CuttingProxy::Direction::kToServer ? "there" : "back";
    const Event redaction = RedactionEvent();
    std::uint64_t last = 0;
    bool cut = true;
    for (std::size_t bytes = 0; cut; bytes += 61) {
      SCOPED_TRACE(bytes);
      const Event planted = Say(kPlanted), replacement = Say("x");
      Must(log->Append(Id(name), planted));
      proxy.CutAfter(direction, bytes);
      const Replacement change{{last + 1}, View(replacement)};
      const auto report =
          log->Redact(Id(name), std::vector<Replacement>{change}, View(redaction), {.expected_last = Seq{last + 1}});
      cut = proxy.HasCut();
      ASSERT_EQ(Must(report).redaction.value, last + 2);
      last += 2;
      ASSERT_EQ(Must(log_->Info(Id(name))).last.value, last);
    }
    EXPECT_GT(last, 30U);  // many cuts
    for (std::uint64_t seq = 1; seq < last; seq += 2) {
      EXPECT_EQ(Lines(*log_, name, {.from = {seq}, .limit = 1}).front(), std::to_string(seq) + " 0 x");
    }
  }
}

TEST_F(LostConnectionTest, AnErasureReportsWhatItErased) {
  for (const auto direction : {CuttingProxy::Direction::kToServer, CuttingProxy::Direction::kToClient}) {
    CuttingProxy proxy(server().socket());
    const auto log = OpenThrough(proxy);
    bool cut = true;
    std::size_t bytes = 0;
    for (; cut; bytes += 61) {
      SCOPED_TRACE(bytes);
      const Seq seq = Must(log->Append(Id("a"), Say(kPlanted))).events.front().seq;
      proxy.CutAfter(direction, bytes);
      const auto report = log->Erase(Id("a"), std::vector<Seq>{seq}, {});
      cut = proxy.HasCut();
      ASSERT_EQ(Must(report).events, 1U);
      ASSERT_TRUE(std::holds_alternative<Erased>(Must(Must(log_->ReadRaw(Id("a"), {.from = seq}))->Next())));
    }
    EXPECT_GT(bytes, 61U * 8);  // many cuts
  }
}

TEST_F(LostConnectionTest, AWatermarkIsSetAfterACut) {
  Must(log_->Append(Id("a"), Say("1")));
  for (const auto direction : {CuttingProxy::Direction::kToServer, CuttingProxy::Direction::kToClient}) {
    CuttingProxy proxy(server().socket());
    const auto log = OpenThrough(proxy);
    bool cut = true;
    for (std::size_t bytes = 0; cut; bytes += 23) {
      SCOPED_TRACE(bytes);
      const std::string state = std::to_string(bytes);
      Must(log->Info(Id("a")));  // a connection
      proxy.CutAfter(direction, bytes);
      Must(log->SetWatermark("sanitize", Id("a"), {{1}, state}));
      cut = proxy.HasCut();
      ASSERT_EQ(Must(log_->FindWatermark("sanitize", Id("a")))->state, state);
    }
  }
}

TEST_F(LostConnectionTest, ReadsContinueAfterACut) {
  CuttingProxy proxy(server().socket());
  const auto log = OpenThrough(proxy);
  std::vector<Event> events;
  for (int i = 0; i < 300; ++i) events.push_back(Say(std::to_string(i)));
  Must(log->Append(Id("a"), events));
  const std::vector<std::string> lines = Lines(*log_, "a");
  bool cut = true;
  for (std::size_t bytes = 0; cut; bytes += 3001) {
    proxy.CutAfter(CuttingProxy::Direction::kToClient, bytes);
    ASSERT_EQ(Lines(*log, "a"), lines);
    ASSERT_EQ(TailLines(*Must(log->Follow({}))).size(), lines.size());
    cut = proxy.HasCut();
  }
}

TEST_F(LostConnectionTest, WritersSurviveARestartOfTheServer) {
  Must(log_->Append(Id("a"), Say("1")));
  server().Stop(SIGQUIT);  // as if the machine had crashed
  std::thread writing([&] { EXPECT_THAT(Seqs(log_->Append(Id("a"), Say("2"))), ElementsAre(2)); });
  server().Start();
  writing.join();
  EXPECT_THAT(Lines(*log_, "a"), ElementsAre("1 0 1", "2 0 2"));
}

// The server has said goodbye on connections that nobody used.
TEST_F(LostConnectionTest, IdleConnectionsOfAServerThatEndedAreReplaced) {
  Must(log_->Append(Id("a"), Say("1")));
  std::uint64_t last = 1;
  for (const int signal : {SIGQUIT, SIGINT, SIGKILL}) {
    Must(log_->Info(Id("a")));
    server().Stop(signal);
    server().Start();
    EXPECT_EQ(Must(log_->Info(Id("a"))).last.value, last);
    server().Stop(signal);
    server().Start();
    EXPECT_EQ(Must(log_->Append(Id("a"), Say("x"))).events.front().seq.value, ++last);
  }
}

TEST_F(LostConnectionTest, WithoutAServerTheErrorComesAfterThePatience) {
  Must(log_->Append(Id("a"), Say("1")));
  const auto impatient = OpenStore({.patience = std::chrono::milliseconds(50)});
  server().Stop(SIGINT);
  EXPECT_EQ(CodeOf(impatient->Append(Id("a"), Say("2"))), "i/o error");
  EXPECT_EQ(CodeOf(impatient->Info(Id("a"))), "i/o error");
  EXPECT_EQ(CodeOf(OpenSqlLog(schema_->Url())), "i/o error");
  server().Start();
  EXPECT_THAT(Seqs(impatient->Append(Id("a"), Say("2"))), ElementsAre(2));
}

}  // namespace
}  // namespace turnlog::lost_connection_test
