// Many threads with one log. Checks what they see meanwhile, and everything again at the end.
#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "tests/log_conformance/conformance.h"

namespace turnlog::threads_test {
namespace {

// Threads that are joined at the end of their scope; an exception in one of them fails the test.
class Threads {
 public:
  ~Threads() { Join(); }
  void Start(std::function<void()> work) {
    threads_.emplace_back([work = std::move(work)] {
      try {
        work();
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    });
  }
  void Join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
};

class ThreadsTest : public testing::TestWithParam<TestedEngine>, protected EngineFixture {
 protected:
  ThreadsTest() : EngineFixture(GetParam(), 1) {}

  // What was appended, by conversation and seq.
  void Note(const std::string& conversation, const AppendResult& result, const std::vector<Event>& events) {
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < events.size(); ++i) {
      const bool is_new = appended_[conversation].emplace(result.events[i].seq.value, Brief(View(events[i]))).second;
      EXPECT_TRUE(is_new) << conversation << " has seq " << result.events[i].seq.value << " twice";
      EXPECT_EQ(result.events[i].seq.value, result.events[0].seq.value + i);
    }
  }
  void ExpectWhatWasNoted() {
    for (const auto& [conversation, events] : appended_) {
      const auto cursor = Must(log_->ReadRaw(Id(conversation)));
      for (const auto& [seq, brief] : events) {
        const Item item = Must(cursor->Next());
        ASSERT_TRUE(std::holds_alternative<Record>(item)) << conversation << " " << seq << ": " << Line(item);
        ASSERT_EQ(std::get<Record>(item).seq.value, seq);
        ASSERT_EQ(Brief(Must(std::get<Record>(item).Decode())), brief);
      }
      EXPECT_EQ(Line(Must(cursor->Next())), "end");
    }
  }
  std::uint64_t CountNoted() const {
    std::uint64_t count = 0;
    for (const auto& [conversation, events] : appended_) count += events.size();
    return count;
  }

  std::mutex mutex_;
  std::map<std::string, std::map<std::uint64_t, std::string>> appended_;
};

Result<AppendResult> AppendInSomeWay(Log& log, const std::string& conversation, const std::vector<Event>& events,
                                     std::uint64_t way) {
  const Durability durability = way % 8 == 0 ? Durability::kSync : Durability::kBuffered;
  if (way % 3 != 0) return log.Append(Id(conversation), events, {.durability = durability, .expected_last = {}});
  std::vector<EventView> views;
  for (const Event& event : events) views.push_back(View(event));
  auto result = log.AppendLater(Id(conversation), views);
  if (!result || way % 6 == 0) return result;
  if (const Status status = log.Wait(result->ticket, durability); !status) return std::unexpected(status.error());
  return result;
}

// Without gaps from 1, with increasing turns, and only records.
void ExpectSoundConversation(Log& log, const ConversationInfo& info) {
  const auto cursor = Must(log.ReadRaw(Id(info.id)));
  std::uint64_t seq = 0, turn = 0;
  for (Item item = Must(cursor->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(cursor->Next())) {
    ASSERT_TRUE(std::holds_alternative<Record>(item)) << Line(item);
    const auto& record = std::get<Record>(item);
    ASSERT_EQ(record.seq.value, ++seq);
    if (record.kind == EventKind::kTurnStart) ++turn;
    ASSERT_EQ(record.turn.value, turn);
  }
  EXPECT_GE(seq, info.last.value);
  EXPECT_GE(turn, info.turns);
}

TURNLOG_FOR_ALL_ENGINES(ThreadsTest);

TEST_P(ThreadsTest, WritersReadersTailsAndCheckpointsDoNotDisturbOneAnother) {
  constexpr std::uint64_t kWriters = 8, kAppends = 150;
  std::atomic<std::uint64_t> writing = kWriters;
  std::map<std::string, std::uint64_t> tailed;
  Threads threads;
  for (std::uint64_t writer = 0; writer < kWriters; ++writer) {
    threads.Start([&, writer] {
      std::mt19937_64 random(writer);
      for (std::uint64_t i = 0; i < kAppends; ++i) {
        const std::string conversation =
            random() % 2 == 0 ? fmt::format("own {}", writer) : fmt::format("shared {}", i % 3);
        std::vector<Event> events;
        for (std::uint64_t part = 0; part <= random() % 3; ++part) {
          events.push_back(random() % 5 == 0
                               ? NewTurn()
                               : Say(fmt::format("{} {} {} {}", writer, i, part, std::string(random() % 400, '.'))));
        }
        Note(conversation, Must(AppendInSomeWay(*log_, conversation, events, random())), events);
      }
      --writing;
    });
  }
  for (int reader = 0; reader < 2; ++reader) {
    threads.Start([&] {
      while (writing > 0) {
        for (const ConversationInfo& info : Must(log_->List("", 100))) ExpectSoundConversation(*log_, info);
      }
    });
  }
  threads.Start([&] {
    const auto tail = Must(log_->Follow({}));
    for (bool last = false; !last;) {
      last = writing == 0;
      if (last) Must(log_->Checkpoint());
      for (Item item = Must(tail->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(tail->Next())) {
        ASSERT_TRUE(std::holds_alternative<Record>(item)) << Line(item);
        const auto& record = std::get<Record>(item);
        ASSERT_EQ(record.seq.value, ++tailed[std::string(record.conversation)]);
      }
      if (!last) (void)Must(tail->Wait(std::chrono::milliseconds(5)));
    }
  });
  threads.Start([&] {
    while (writing > 0) {
      Must(log_->Checkpoint());
      const StoreStats stats = Must(log_->Stats());
      if (stats.engine == "segments") {
        EXPECT_LE(Figure(stats, "durable_offset"), Figure(stats, "end_offset"));
        EXPECT_LE(Figure(stats, "checkpoint_offset"), Figure(stats, "durable_offset"));
      }
      (void)Must(log_->Pending({}));
    }
  });
  threads.Join();
  ExpectWhatWasNoted();
  EXPECT_EQ(Must(log_->Stats()).events, CountNoted());
  for (const auto& [conversation, events] : appended_) EXPECT_EQ(tailed[conversation], events.size());
  ReopenAfterKill();
  ExpectWhatWasNoted();
  Close();
  EXPECT_EQ(store_->Check(), "");
}

TEST_P(ThreadsTest, ExpectedSeqHasOneWinner) {
  constexpr std::uint64_t kThreads = 8, kEvents = 300;
  std::atomic<std::uint64_t> wins = 0;
  Threads threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.Start([&, thread] {
      std::uint64_t last = 0;
      while (last < kEvents) {
        const std::vector<Event> events{Say(fmt::format("{} {}", thread, last))};
        const auto result =
            log_->Append(Id("contended"), events, {.durability = Durability::kBuffered, .expected_last = Seq{last}});
        if (result) {
          ++wins;
          Note("contended", *result, events);
          ++last;
        } else {
          ASSERT_EQ(CodeOf(result), "conflict");
          ASSERT_GT(result.error().last_seq.value(), last);
          last = result.error().last_seq.value();
        }
      }
    });
  }
  threads.Join();
  EXPECT_EQ(wins, kEvents);
  ExpectWhatWasNoted();
}

TEST_P(ThreadsTest, EventIdIsWrittenOnce) {
  constexpr std::uint64_t kThreads = 8, kIds = 100;
  std::vector<std::atomic<std::uint64_t>> seqs(kIds);
  std::atomic<std::uint64_t> written = 0;
  Threads threads;
  for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.Start([&] {
      for (std::uint64_t i = 0; i < kIds; ++i) {
        const AppendedEvent event = Must(Append("a", Named(std::to_string(i), Say("x")))).events[0];
        if (!event.repeated) ++written;
        const std::uint64_t known = seqs[i].exchange(event.seq.value);
        ASSERT_TRUE(known == 0 || known == event.seq.value);
      }
    });
  }
  threads.Join();
  EXPECT_EQ(written, kIds);
  EXPECT_EQ(Must(log_->Info(Id("a"))).last.value, kIds);
}

// Numbers are assigned in one order and written in another; after a crash they must not be assigned again.
TEST_P(ThreadsTest, ConversationsMadeAtOnceStayApart) {
  for (int round = 0; round < 6; ++round) {
    Threads threads;
    for (int thread = 0; thread < 8; ++thread) {
      threads.Start([&, round, thread] {
        for (int i = 0; i < 25; ++i) {
          const std::string conversation = fmt::format("{} {} {}", round, thread, i);
          const std::vector<Event> events{Say(conversation)};
          Note(conversation, Must(Append(conversation, events)), events);
        }
      });
    }
    threads.Join();
    ReopenAfterKill();
    ExpectWhatWasNoted();
  }
  EXPECT_EQ(Must(log_->Stats()).conversations, 1200U);
  Close();
  EXPECT_EQ(store_->Check(), "");
}

// An acknowledged append is found after reopening, even if the log was closed concurrently.
TEST_P(ThreadsTest, CloseLetsFinishWhatHasBegun) {
  for (int round = 0; round < 5; ++round) {
    Threads threads;
    std::atomic<int> begun = 0;
    for (int thread = 0; thread < 8; ++thread) {
      threads.Start([&, thread] {
        for (int i = 0;; ++i) {
          const std::string conversation = fmt::format("c{}", (thread + i) % 5);
          const std::vector<Event> events{Say(fmt::format("{} {}", thread, i)), Say("second")};
          const auto result =
              Append(conversation, events, {.durability = i % 4 == 0 ? Durability::kSync : Durability::kBuffered});
          if (!result) {
            EXPECT_EQ(CodeOf(result), "needs reopening") << MessageOf(result);
            return;
          }
          Note(conversation, *result, events);
          ++begun;
          (void)log_->Info(Id(conversation));
        }
      });
    }
    while (begun < 200) std::this_thread::yield();
    Must(log_->Close());
    threads.Join();
    EXPECT_EQ(store_->Check(), "");
    Open();
    ExpectWhatWasNoted();
  }
}

// Info never counts a turn before it can be read.
TEST_P(ThreadsTest, LastTurnIsNeverEmpty) {
  std::atomic<bool> writing = true;
  Must(Append("a", {NewTurn(), Say("x")}));
  Threads threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.Start([&] {
      while (writing) {
        EXPECT_FALSE(Lines(*log_, "a", {.last_turns = 1}).empty());
        const ConversationInfo info = Must(log_->Info(Id("a")));
        EXPECT_EQ(Lines(*log_, "a", {.from_turn = Turn{info.turns}, .limit = 1}).size(), 1U);
      }
    });
  }
  threads.Start([&] {
    for (int i = 0; i < 1500; ++i) Must(Append("a", i % 3 == 0 ? Say("x") : NewTurn()));
    writing = false;
  });
}

// An inquiry is found from its request on, also during checkpoints, and an answered one stays answered.
TEST_P(ThreadsTest, InquiriesAreFoundWhileTheIndexIsWritten) {
  constexpr int kInquiries = 300;
  std::atomic<int> asked = 0, answered = 0;
  Must(Append("a", NewTurn()));
  std::atomic<bool> writing = true;
  const auto id = [](int i) { return Keyed("call", fmt::format("q{}", i), 1); };
  Threads threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.Start([&] {
      while (writing) {
        const int was_answered = answered, was_asked = asked;
        for (int i = std::max(0, was_answered - 3); i < was_asked; ++i) {
          const auto found = AttemptLines(*log_, "a", id(i));
          ASSERT_EQ(found.size(), 1U) << i;
          ASSERT_TRUE(i >= was_answered || !found[0].ends_with("pending")) << i;
        }
        EXPECT_LE(PendingLines(*log_).size(), 3U);
      }
    });
  }
  threads.Start([&] {
    while (writing) {
      EXPECT_THAT(Must(log_->List("", 10)), testing::SizeIs(1));
      Must(log_->Checkpoint());
    }
  });
  threads.Start([&] {
    for (int i = 0; i < kInquiries; ++i) {
      Must(Append("a", Ask(id(i))));
      asked = i + 1;
      if (i < 2) continue;
      Must(Append("a", Answer(id(i - 2))));
      answered = i - 1;
    }
    writing = false;
  });
  threads.Join();
  EXPECT_EQ(PendingLines(*log_).size(), 2U);
}

// One handle of a reader: some threads refresh it, others read.
TEST_P(ThreadsTest, ReaderIsRefreshedWhileItIsRead) {
  Must(Append("a", NewTurn()));
  const auto reader = OpenReader();
  std::atomic<bool> writing = true;
  std::atomic<int> appended = 0;
  Threads threads;
  for (int thread = 0; thread < 2; ++thread) {
    threads.Start([&] {
      while (writing) {
        Must(reader->Refresh());
        const int much = appended + 10;  // for the next Refresh to read
        while (writing && appended < much) std::this_thread::yield();
      }
    });
    threads.Start([&] {
      std::uint64_t last = 0;
      while (writing) {
        for (const ConversationInfo& info : Must(reader->List("", 10))) ExpectSoundConversation(*reader, info);
        EXPECT_FALSE(Lines(*reader, "a", {.last_turns = 1}).empty());
        const std::uint64_t now = Must(reader->Info(Id("a"))).last.value;
        EXPECT_GE(now, last);
        last = now;
      }
    });
    threads.Start([&] {
      const auto tail = Must(reader->Follow({}));
      std::uint64_t seq = 0;
      while (writing) {
        (void)Must(tail->Wait(std::chrono::milliseconds(5)));
        for (Item item = Must(tail->Next()); !std::holds_alternative<EndOfLog>(item); item = Must(tail->Next())) {
          ASSERT_EQ(std::get<Record>(item).seq.value, ++seq);
        }
      }
    });
  }
  threads.Start([&] {
    while (writing) ASSERT_EQ(Must(reader->Info(Id("a"))).last.value % 3, 1U) << "an append is seen in part";
  });
  threads.Start([&] {
    for (int i = 0; i < 600; ++i) {
      Must(Append("a", {NewTurn(), Say(std::string(static_cast<std::size_t>(i % 300), '.')), NewTurn()}));
      appended = i + 1;
      if (i % 100 == 0) Reopen();
    }
    writing = false;
  });
}

}  // namespace
}  // namespace turnlog::threads_test
