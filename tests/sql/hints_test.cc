// Hints between processes that something was appended: tails of others wake, and nothing depends on it.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "store/sql/append_hints.h"
#include "tests/sql/sql_fixture.h"

namespace turnlog::hints_test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Counts hints, and waits for the next one. The time is for one that never comes.
class Hints {
 public:
  void Add() {
    const std::scoped_lock lock(mutex_);
    ++count_;
    added_.notify_all();
  }
  bool AwaitNext(std::chrono::milliseconds time = 60s) {
    std::unique_lock lock(mutex_);
    if (!added_.wait_for(lock, time, [&] { return count_ > seen_; })) return false;
    seen_ = count_;
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  int count_ = 0, seen_ = 0;
};

class HintsTest : public SqlTest {
 protected:
  void SetUp() override {
    SqlTest::SetUp();
    if (IsSkipped()) return;
    options_ = {.url = schema_->Url(), .name = "hints"};
    pool_ = std::make_unique<ConnectionPool>(options_);
  }
  std::unique_ptr<AppendHints> Make(Hints& hints, const std::string& store = "0123abcd") {
    return std::make_unique<AppendHints>(*pool_, options_, store, [&] { hints.Add(); });
  }
  static std::string Listeners() {
    return "FROM pg_stat_activity WHERE application_name = 'hints' AND query LIKE 'LISTEN%'";
  }
  // A session listens once its statement has been executed.
  static void AwaitListener() {
    while (server().Ask("SELECT count(*) " + Listeners() + " AND state = 'idle'") != "1") std::this_thread::yield();
  }

  PoolOptions options_;
  std::unique_ptr<ConnectionPool> pool_;
};

TEST_F(HintsTest, OneProcessTellsAnother) {
  Hints here, there;
  const auto sender = Make(here), listener = Make(there);
  listener->Listen();
  AwaitListener();
  for (int i = 0; i < 3; ++i) {
    sender->Send();
    EXPECT_TRUE(there.AwaitNext());
  }
}

TEST_F(HintsTest, OfItsOwnStoreOnly) {
  Hints here, there;
  const auto stranger = Make(here, "another"), sender = Make(here), listener = Make(there);
  listener->Listen();
  AwaitListener();
  stranger->Send();
  EXPECT_FALSE(there.AwaitNext(200ms));
  sender->Send();
  EXPECT_TRUE(there.AwaitNext());
}

TEST_F(HintsTest, ListensAgainAfterItsConnectionIsLost) {
  Hints here, there;
  const auto sender = Make(here), listener = Make(there);
  listener->Listen();
  AwaitListener();
  EXPECT_EQ(server().Ask("SELECT pg_terminate_backend(pid, 60000)::text " + Listeners()), "true");
  AwaitListener();
  sender->Send();
  EXPECT_TRUE(there.AwaitNext());
}

TEST_F(HintsTest, StopsWhileItListensAndSends) {
  Hints hints;
  for (int i = 0; i < 20; ++i) {
    const auto both = Make(hints);
    both->Listen();
    both->Send();
  }
}

// A server that refuses their connection changes nothing but the time that a tail takes.
TEST_F(HintsTest, NothingDependsOnThem) {
  const auto tail = Must(log_->Follow({}, {}));
  const auto other = OpenStore();
  const std::string url = UrlOf("one_connection", "ALL");
  server().Run("ALTER ROLE one_connection CONNECTION LIMIT 1");
  const auto log = Must(OpenSqlLog(url, {.connections = 1}));
  const auto follower = Must(log->Follow({}, {}));
  Must(other->Append(Id("a"), Say("1")));
  EXPECT_TRUE(Must(follower->Wait(60s)));  // its listener gets no connection
  EXPECT_THAT(TailLines(*follower), ElementsAre("a 1 1"));
  EXPECT_TRUE(Must(tail->Wait(60s)));
  EXPECT_THAT(TailLines(*tail), ElementsAre("a 1 1"));
}

}  // namespace
}  // namespace turnlog::hints_test
