// The path that a store is opened with: in any notation it is the same folder while the store is open, and the folder
// that contains it is synced. Anything but regular files under the store's names is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "store/engine/event_log.h"
#include "store/segments/segment.h"
#include "tests/store/deterministic_workload.h"
#include "tests/store/power_loss_rig.h"
#include "tests/support/temp_dir.h"
#include "turnlog/backup.h"
#include "turnlog/maintenance.h"

namespace turnlog::store_path_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Changes the working directory of the test, and restores it at its end.
class InFolder {
 public:
  explicit InFolder(const fs::path& folder) { fs::current_path(folder); }
  ~InFolder() { fs::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  const fs::path before_ = fs::current_path();
};

class StorePathTest : public testing::TestWithParam<std::string> {
 protected:
  TempDir folder_;
};

TEST_P(StorePathTest, AStoreThatWasJustMadeSurvivesAPowerLoss) {
  PowerLossRig machine;
  if (GetParam() == ".") fs::create_directory(folder_ / "store");
  const InFolder here(GetParam() == "." ? folder_ / "store" : folder_.path());
  {
    const auto log = EventLog::Open(GetParam(), {}, machine.environment());
    ASSERT_TRUE(log) << log.error().message;
    ASSERT_TRUE((*log)->Append(NameOf(1), BatchAt(1, 1)));
    machine.StopNow();
    machine.LosePower(1, Loss::kAll);
  }
  machine.Restart();
  const auto log = EventLog::Open(folder_ / "store", {.mode = OpenMode::kWrite}, machine.environment());
  ASSERT_TRUE(log) << log.error().message;
  ExpectBeginnings(**log, {{1, BatchLength(1, 1)}});
}

TEST_P(StorePathTest, TheStoreStaysTheSameWhereverTheProcessGoes) {
  fs::create_directories(folder_ / "elsewhere");
  if (GetParam() == ".") fs::create_directory(folder_ / "store");
  const SegmentOptions options{.segment_bytes = 8 << 10, .checkpoint_bytes = 4 << 10};
  LastSeqs last;
  const InFolder here(GetParam() == "." ? folder_ / "store" : folder_.path());
  const auto log = OpenSegmentLog(GetParam(), options);
  ASSERT_TRUE(log) << log.error().message;
  const InFolder there(folder_ / "elsewhere");
  for (int i = 0; i < 30; ++i) {
    const auto result = (*log)->Append(NameOf(1), BatchAt(1, last[1] + 1));
    ASSERT_TRUE(result) << result.error().message;
    last[1] = result->events.back().seq.value;
  }
  EXPECT_EQ(ExpectBeginnings(**log, last), last);
  ASSERT_TRUE((*log)->Close());
  const auto report = VerifyStore("../store");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->clean());
  EXPECT_EQ(report->events, last[1]);
  EXPECT_TRUE(fs::is_empty(folder_ / "elsewhere"));
}

INSTANTIATE_TEST_SUITE_P(Ways, StorePathTest, testing::Values("store", "store/", "store//", "./store/.", "."));

TEST(StorePath, AnEmptyOneIsRefused) {
  const auto log = OpenSegmentLog("");
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::kInvalidArgument);
}

// --- Something else under the name of a file of the store ---

class StrangeFileTest : public testing::TestWithParam<std::string> {
 protected:
  StrangeFileTest() {
    EXPECT_TRUE((*OpenSegmentLog(store_))->Append(NameOf(1), BatchAt(1, 1)));
    std::ofstream(precious_) << "precious";
  }

  fs::path Victim() const {
    if (GetParam() == "segment") return store_ / "log" / SegmentName(0);
    return store_ / GetParam();
  }

  // Opening does not block, links are not followed, and a writer fails.
  void ExpectRefused(std::string_view what) {
    const auto writer = OpenSegmentLog(store_, {.mode = OpenMode::kWrite});
    ASSERT_FALSE(writer);
    EXPECT_THAT(writer.error().message, HasSubstr(what));
    EXPECT_THAT(writer.error().message, HasSubstr(Victim().filename().string()));
    (void)OpenSegmentLog(store_, {.mode = OpenMode::kRead});
    const auto verified = VerifyStore(store_);
    const auto backed_up = BackupStore(store_, folder_ / "backup");
    if (GetParam() == "log") {
      ASSERT_FALSE(verified);
      EXPECT_EQ(verified.error().code, ErrorCode::kInvalidArgument);
      ASSERT_FALSE(backed_up);
      EXPECT_EQ(backed_up.error().code, ErrorCode::kInvalidArgument);
    }
    EXPECT_EQ(ReindexStore(store_).has_value(), GetParam() == "index/CURRENT");  // a new index has none of it
    std::stringstream text;
    text << std::ifstream(precious_).rdbuf();
    EXPECT_EQ(text.str(), "precious");
  }

  TempDir folder_;
  const fs::path store_ = folder_ / "store";
  const fs::path precious_ = folder_ / "precious";
};

TEST_P(StrangeFileTest, AFifoIsNotWaitedFor) {
  fs::remove_all(Victim());
  ASSERT_EQ(::mkfifo(Victim().c_str(), 0600), 0);
  ExpectRefused("a FIFO");
}

TEST_P(StrangeFileTest, ALinkIsNotFollowed) {
  const fs::path moved = folder_ / "moved";
  fs::rename(Victim(), moved);
  fs::create_symlink(moved, Victim());
  ExpectRefused("a symbolic link");
  fs::remove(Victim());
  fs::create_symlink(precious_, Victim());
  ExpectRefused("a symbolic link");
  EXPECT_TRUE(fs::exists(moved));
}

TEST_P(StrangeFileTest, ASocketIsRefused) {
  fs::remove_all(Victim());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const InFolder here(Victim().parent_path());  // its address is short
  Victim().filename().string().copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ExpectRefused("a socket");
  ::close(socket);
}

INSTANTIATE_TEST_SUITE_P(Names, StrangeFileTest,
                         testing::Values("STORE", "LOCK", "segment", "log", "index", "index/CURRENT"),
                         [](const auto& name) {
                           return name.param == "index/CURRENT" ? std::string("CURRENT") : name.param;
                         });

// --- Another user's file under the name of a file of the store ---

void Give(const fs::path& path, uid_t user) { ASSERT_EQ(::chown(path.c_str(), user, user), 0); }

TEST(StorePath, AnotherUsersFileIsReadButNotWrittenTo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  constexpr uid_t kUser = 65'534, kOther = 12'345;
  const TempDir folder;
  const fs::path store = folder / "store";
  ASSERT_TRUE((*OpenSegmentLog(store))->Append(NameOf(1), BatchAt(1, 1)));
  Give(folder.path(), kUser);
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) Give(entry.path(), kUser);
  for (const fs::path& file : {store / "LOCK", store / "log" / SegmentName(0)}) {
    Give(file, kOther);
    fs::permissions(file, fs::perms{0666});
    ASSERT_EQ(::seteuid(kUser), 0);
    const auto writer = OpenSegmentLog(store, {.mode = OpenMode::kWrite});
    const bool readable = OpenSegmentLog(store, {.mode = OpenMode::kRead}).has_value();
    ASSERT_EQ(::seteuid(0), 0);
    ASSERT_FALSE(writer) << file;
    EXPECT_EQ(writer.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(writer.error().message, HasSubstr(file.string()));
    EXPECT_TRUE(readable) << file;
    Give(file, kUser);
  }
}

// --- Temporary files ---

// Readers without an index and verify create a temporary one: it has no name, and nothing is left of it.
TEST(ScratchIndex, HasNoNames) {
  const TempDir folder;
  const TempDir temporary;
  {
    const auto log = OpenSegmentLog(folder / "store", {.checkpoint_bytes = 16 << 10});
    ASSERT_TRUE(log) << log.error().message;
    for (std::uint32_t i = 1; i <= 200; ++i) ASSERT_TRUE((*log)->Append(NameOf(i), BatchAt(i, 1)));
  }
  fs::remove_all(folder / "store/index");
  const char* before = std::getenv("TMPDIR");
  const std::string restore = before == nullptr ? "" : before;
  ASSERT_EQ(::setenv("TMPDIR", temporary.path().c_str(), 1), 0);
  {
    const auto log = OpenSegmentLog(folder / "store", {.mode = OpenMode::kRead, .checkpoint_bytes = 16 << 10});
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_GT((*log)->Stats()->Figure("index_bytes"), 0U) << "the index is in memory: the test does not test";
    EXPECT_EQ((*log)->Stats()->conversations, 200U);
    EXPECT_TRUE(fs::is_empty(temporary.path()));
    bool empty = true;
    EXPECT_TRUE(VerifyStore(folder / "store", [&](auto, auto) { empty = empty && fs::is_empty(temporary.path()); }));
    EXPECT_TRUE(empty);
  }
  restore.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", restore.c_str(), 1);
}

}  // namespace
}  // namespace turnlog::store_path_test
