// Several writers at once, each with a handle of its own, as in several processes.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "tests/sql/row_locks.h"
#include "tests/sql/sql_fixture.h"
#include "turnlog/verify_log.h"

namespace turnlog::writers_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WritersTest : public SqlTest {
 protected:
  void InThreads(int count, const std::function<void(Log&, int)>& work) {
    std::vector<std::unique_ptr<Log>> logs;
    for (int i = 0; i < count; ++i) logs.push_back(OpenStore({.connections = 2}));
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back([&, i] { work(*logs[static_cast<std::size_t>(i)], i); });
    for (std::thread& thread : threads) thread.join();
  }

  // Every conversation dense, every event once.
  void ExpectEachOnce(std::string_view conversation, std::size_t events) {
    std::set<std::string> texts;
    const std::vector<std::string> lines = Lines(*log_, conversation);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      EXPECT_TRUE(lines[i].starts_with(std::to_string(i + 1) + " ")) << lines[i];
      texts.insert(lines[i].substr(lines[i].rfind(' ')));
    }
    EXPECT_EQ(lines.size(), events);
    EXPECT_EQ(texts.size(), events);
  }
};

TEST_F(WritersTest, OfOneConversationAllAreDense) {
  InThreads(6, [](Log& log, int writer) {
    for (int i = 0; i < 25; ++i) Must(log.Append(Id("a"), Say(std::to_string(writer * 100 + i))));
  });
  ExpectEachOnce("a", 150);
}

// Appends of several conversations in one transaction, whose heads have become others meanwhile, at the same seqs.
TEST_F(WritersTest, AGroupIsGuardedByTheHeadsOfAllItsConversations) {
  std::vector<std::string> names;  // written together: only those in even lanes
  for (int i = 0; names.size() < 8; ++i) {
    const std::string name = "group-" + std::to_string(i), schema = schema_->name();
    Must(Append(*log_, name, {Say("1")}));
    if (server().Ask("SELECT lane % 2 FROM " + schema + ".turnlog_head WHERE name = '" + name + "'") == "0") {
      names.push_back(name);
    }
  }
  Run("UPDATE turnlog_head SET tag = tag / 2 + 1, turns = 7");
  RowLocks heads(schema_->Url(), "turnlog_head");
  ASSERT_TRUE(heads.held());
  std::atomic<bool> returned = false;
  std::vector<std::thread> threads;
  for (const std::string& name : names) {
    threads.emplace_back([&, name] {
      Must(Append(*log_, name, {Say("2")}));
      returned = true;
    });
    if (threads.size() == 1) AwaitLockedSession(server(), "turnlog", returned);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // until the others wait for the first one
  heads.Release();
  for (std::thread& thread : threads) thread.join();
  const auto now = OpenStore();
  for (const std::string& name : names) EXPECT_EQ(Must(now->Info(Id(name))).turns, 7U) << name;
}

TEST_F(WritersTest, AnExpectedSeqHasOneWinner) {
  std::atomic<int> won = 0;
  InThreads(6, [&](Log& log, int writer) {
    for (std::uint64_t last = 0; last < 20;) {
      const auto appended = log.Append(Id("a"), Say(std::to_string(writer)), {.expected_last = Seq{last}});
      won += appended ? 1 : 0;
      last = appended ? last + 1 : appended.error().last_seq.value();
    }
  });
  EXPECT_EQ(won, static_cast<int>(Must(log_->Info(Id("a"))).last.value));
  EXPECT_GE(won, 20);
}

TEST_F(WritersTest, AnEventIdIsWrittenOnce) {
  std::atomic<int> written = 0;
  InThreads(6, [&](Log& log, int) {
    for (int i = 0; i < 20; ++i) {
      const std::string id = std::to_string(i);
      written += Must(log.Append(Id("a"), Named(id, Say(id)))).events.front().repeated ? 0 : 1;
    }
  });
  EXPECT_EQ(written, 20);
  ExpectEachOnce("a", 20);
}

// The question and its answer in two processes.
TEST_F(WritersTest, ASecretIsRefusedAlsoWhenTwoRace) {
  for (int round = 0; round < 30; ++round) {
    const std::string name = "round " + std::to_string(round);
    InThreads(2, [&](Log& log, int writer) {
      (void)log.Append(Id(name), writer == 0 ? AskSecret(Opaque("token")) : Answer(Opaque("token")));
    });
    EXPECT_THAT(Lines(*log_, name),
                testing::AnyOf(ElementsAre("1 0 ask token"), ElementsAre("1 0 answer token", "2 0 ask token")));
  }
}

TEST_F(WritersTest, TailsMissNothing) {
  std::atomic<bool> done = false;
  std::map<std::string, std::uint64_t> seen;
  std::thread reader([&] {
    Position position;
    for (bool last = false; !last;) {
      last = done;
      const auto tail = Must(log_->Follow(position));  // another one each time: positions must not miss anything either
      for (int i = 0; i < 50; ++i) {
        const Item item = Must(tail->Next());
        const auto* record = std::get_if<Record>(&item);
        if (record == nullptr) break;
        EXPECT_EQ(record->seq.value, ++seen[std::string(record->conversation)]);
        last = false;
      }
      position = tail->position();
    }
  });
  InThreads(6, [](Log& log, int writer) {
    for (int i = 0; i < 60; ++i) {
      const std::string name = std::to_string((writer * 7 + i * i) % 40);
      Must(Append(log, name, std::vector<Event>(1 + static_cast<std::size_t>(i % 3), Say("x"))));
    }
  });
  done = true;
  reader.join();
  std::uint64_t events = 0;
  for (const auto& [name, last] : seen) {
    EXPECT_EQ(last, Must(log_->Info(Id(name))).last.value) << name;
    events += last;
  }
  EXPECT_EQ(events, Must(log_->Stats()).events);
  EXPECT_EQ(events, 6U * 120U);
}

// A conversation that grows as fast as the tail reads.
TEST_F(WritersTest, ATailReturnsTheOthersBesideABusyConversation) {
  std::set<std::string> unseen;
  for (int i = 0; i < 8; ++i) unseen.insert(std::to_string(i));
  for (const std::string& name : unseen) Must(log_->Append(Id(name), Say("x")));
  const std::string first = TailLines(*Must(log_->Follow({}))).front();
  const std::string busy = first.substr(0, first.find(' '));
  const auto tail = Must(log_->Follow({}));
  for (int i = 0; i < 200 && !unseen.empty(); ++i) {
    Must(log_->Append(Id(busy), Say("x")));
    const Item item = Must(tail->Next());
    const auto* record = std::get_if<Record>(&item);
    ASSERT_NE(record, nullptr);
    unseen.erase(std::string(record->conversation));
  }
  EXPECT_THAT(unseen, IsEmpty());
}

TEST_F(WritersTest, ThreadsOfOneProcessShareTransactions) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 40; ++i) {
        const std::string name = std::to_string(i % 5);
        const bool own = i % 4 == 0;  // also events of one id, which end the shared transaction
        const std::string text = std::to_string(thread * 100 + i);
        Must(log_->Append(Id(name), own ? Named("id" + std::to_string(i), Say(text)) : Say(text)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Must(log_->Stats()).events, 8U * 30U + 10U);
}

TEST_F(WritersTest, InProcesses) {
  std::vector<pid_t> processes;
  const std::string url = schema_->Url();
  for (int writer = 0; writer < 4; ++writer) {
    processes.push_back(::fork());
    if (processes.back() != 0) continue;
    const auto log = OpenSqlLog(url, {.connections = 1});
    bool fine = log.has_value();
    for (int i = 0; fine && i < 30; ++i)
      fine = (*log)->Append(Id("a"), Say(std::to_string(writer * 100 + i))).has_value();
    ::_exit(fine ? 0 : 1);
  }
  for (const pid_t process : processes) {
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
  }
  ExpectEachOnce("a", 120);
}

// Each append has two events. What was not acknowledged is there once or not at all, after the retry once.
TEST_F(WritersTest, OfAKilledOneEverythingAcknowledgedIsThere) {
  constexpr int kAppends = 8;
  const auto events = [](int append) {
    const std::string one = std::to_string(2 * append), two = std::to_string(2 * append + 1);
    return std::vector{Named(one, Say(one)), Named(two, Say(two))};
  };
  for (int kill_after = 0; kill_after < kAppends; ++kill_after) {
    const std::string name = "killed after " + std::to_string(kill_after);
    int ends[2] = {};
    ASSERT_EQ(::pipe(ends), 0);
    log_.reset();  // its threads are not for a fork
    const pid_t writer = ::fork();
    if (writer == 0) {
      const auto log = OpenSqlLog(schema_->Url(), {.connections = 1});
      for (int i = 0; log && i < kAppends && Append(**log, name, events(i)); ++i) (void)!::write(ends[1], "", 1);
      ::pause();
    }
    ::close(ends[1]);
    std::size_t acknowledged = 0;
    for (char byte = 0; acknowledged < static_cast<std::size_t>(kill_after); ++acknowledged) {
      ASSERT_EQ(::read(ends[0], &byte, 1), 1);
    }
    ::kill(writer, SIGKILL);
    ASSERT_EQ(::waitpid(writer, nullptr, 0), writer);
    for (char byte = 0; ::read(ends[0], &byte, 1) == 1;) ++acknowledged;
    ::close(ends[0]);
    log_ = OpenStore();
    if (acknowledged > 0) {
      EXPECT_GE(Lines(*log_, name).size(), 2 * acknowledged);
    }
    for (int i = 0; i < kAppends; ++i) Must(Append(*log_, name, events(i)));
    ExpectEachOnce(name, 2 * kAppends);
  }
  EXPECT_TRUE(Must(VerifyLog(*log_)).clean());
}

// A pool of one connection: nothing may wait for a second one.
TEST_F(WritersTest, OneConnectionIsEnough) {
  const auto log = OpenStore({.connections = 1});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      const std::string name = std::to_string(thread);
      Must(Append(*log, name, {Ask(Opaque("i")), Say(std::string(3 << 20, 'x'))}));
      EXPECT_EQ(Lines(*log, name).size(), 2U);
      EXPECT_EQ(AttemptLines(*log, name, Opaque("i")).size(), 1U);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(TailLines(*Must(log->Follow({}))).size(), 8U);
}

}  // namespace
}  // namespace turnlog::writers_test
