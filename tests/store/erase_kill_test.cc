// A writer is killed repeatedly before random file operations of erasing and redacting, while another process reads:
// acknowledged erasures are complete, the last one is atomic, and the reader never sees damage. TURNLOG_EFFORT=full
// kills it 1,000 times.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <random>
#include <sstream>
#include <thread>

#include "store/segments/segment.h"
#include "tests/store/child_process.h"
#include "tests/store/erased_events.h"
#include "tests/support/effort.h"
#include "tests/support/temp_dir.h"
#include "turnlog/segment_log.h"

namespace turnlog::erase_kill_test {
namespace {

constexpr int kKillsOnTheSameStore = 10;

// Reads the store continuously until destroyed.
class Bystander {
 public:
  explicit Bystander(std::filesystem::path store) : store_(std::move(store)), thread_([this] { Run(); }) {}
  ~Bystander() {
    stop_ = true;
    thread_.join();
  }
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;

 private:
  void Run() {
    for (int round = 0; !stop_; ++round) {
      if (round % 4 == 0) log_ = OpenSegmentLog(store_, {.mode = OpenMode::kRead}).value_or(nullptr);
      if (log_ == nullptr) continue;  // no store yet
      const Status refreshed = log_->Refresh();
      EXPECT_TRUE(refreshed) << refreshed.error().message;
      ErasedEvents(*log_);
      Follow();
    }
  }

  void Follow() {
    const auto tail = log_->Follow({});
    ASSERT_TRUE(tail) << tail.error().message;
    for (;;) {
      const auto item = (*tail)->Next();
      ASSERT_TRUE(item) << item.error().message;
      if (std::holds_alternative<EndOfLog>(*item)) return;
      const auto* damage = std::get_if<Damage>(&*item);
      ASSERT_EQ(damage, nullptr) << ToString(*damage);
    }
  }

  const std::filesystem::path store_;
  std::unique_ptr<Log> log_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

class EraseKillTest : public testing::Test {
 protected:
  void KillOneWriter(const std::filesystem::path& store, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    ChildProcess victim({TURNLOG_ERASING_WRITER, store.string(), std::to_string(seed),
                         std::to_string((8 << 10) << (random() % 5)), std::to_string((64 << 10) << (random() % 5)),
                         std::to_string(1 + random() % (random() % 3 == 0 ? 40 : 800)),
                         std::to_string(random() % 3 == 0 ? 1 + random() % 60 : 0)});
    for (std::string line = victim.ReadLine(); !line.empty(); line = victim.ReadLine()) Note(line);
  }

  void Note(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "done") {
      erased_.merge(pending_);
      pending_.clear();
      return;
    }
    ASSERT_EQ(word, "destroy") << "the victim has come to an end by itself";
    std::uint32_t conversation = 0;
    words >> conversation;
    for (std::uint64_t seq = 0; words >> seq;) pending_.emplace(conversation, seq);
  }

  EventKeys erased_, pending_;
};

TEST_F(EraseKillTest, AnErasureIsDoneOrNotBegunAndReadersNeverSeeDamage) {
  const std::uint64_t kills = SampleSize(30, 1000);
  std::optional<TempDir> folder;
  for (std::uint64_t seed = 1; seed <= kills; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    if ((seed - 1) % kKillsOnTheSameStore == 0) {
      folder.emplace();
      erased_.clear();
    }
    const std::filesystem::path store = *folder / "store";
    {
      std::optional<Bystander> bystander;
      if (seed % 2 == 0) bystander.emplace(store);
      KillOneWriter(store, seed);
    }
    if (!std::filesystem::exists(store / "STORE")) {  // killed before there was a store
      EXPECT_TRUE(erased_.empty() && pending_.empty());
      continue;
    }
    ExpectErased(store, erased_, pending_);
    pending_.clear();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace turnlog::erase_kill_test
