// A missing, old, foreign or damaged index is brought up to date or rebuilt, and the log's answers are the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "store/engine/event_log.h"
#include "store/index/table_tail.h"
#include "tests/store/answers.h"
#include "tests/store/deterministic_workload.h"
#include "tests/store/sample_store.h"
#include "tests/support/effort.h"
#include "tests/support/ordered_env.h"
#include "turnlog/maintenance.h"

namespace turnlog::index_loss_test {
namespace {

namespace fs = std::filesystem;

const SegmentOptions kOptions{.segment_bytes = 8 << 10, .checkpoint_bytes = 16 << 10};

class IndexLossTest : public testing::Test {
 protected:
  static std::vector<std::string> Answers(const fs::path& store, OpenMode mode) {
    SegmentOptions options = kOptions;
    options.mode = mode;
    const auto log = EventLog::Open(store, options, Environment{});
    return log ? AnswersOf(**log) : std::vector<std::string>{"error " + log.error().message};
  }

  static void Append(Log& log, std::uint32_t conversation, int appends) {
    for (int i = 0; i < appends; ++i) {
      const auto info = log.Info(NameOf(conversation));
      const std::uint64_t next = info ? info->last.value + 1 : 1;
      ASSERT_TRUE(log.Append(NameOf(conversation), BatchAt(conversation, next)));
    }
  }

  // Every event id of the store is known under its seq.
  static void ExpectEventIdsKnown(Log& log) {
    const auto conversations = log.List("", 100);
    ASSERT_TRUE(conversations);
    for (const ConversationInfo& info : *conversations) {
      const auto conversation = static_cast<std::uint32_t>(std::stoul(info.id.substr(info.id.rfind(' '))));
      for (std::uint64_t seq = 1; seq <= info.last.value; ++seq) {
        const Event event = EventAt(conversation, seq);
        if (!event.event_id) continue;
        const auto result = log.Append(NameOf(conversation), event);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_TRUE(result->events[0].repeated);
        EXPECT_EQ(result->events[0].seq.value, seq);
      }
    }
  }

  static void ExpectClean(const fs::path& store) {
    const auto report = VerifyStore(store);
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damage) ADD_FAILURE() << ToString(damage);
    for (const std::string& difference : report->index_differences) ADD_FAILURE() << difference;
  }

  // A reader, and a writer that repairs the index, give the same answers in spite of the broken index.
  void ExpectSameAnswers(bool reader_too = true) {
    if (reader_too) {
      EXPECT_EQ(Answers(copy_, OpenMode::kRead), sound_);
    }
    EXPECT_EQ(Answers(copy_, OpenMode::kWrite), sound_);
    EXPECT_EQ(Answers(copy_, OpenMode::kRead), sound_);
    ExpectClean(copy_);
    const auto log = EventLog::Open(copy_, kOptions, Environment{});
    ASSERT_TRUE(log) << log.error().message;
    ExpectEventIdsKnown(**log);
    Append(**log, 0, 1);
    Append(**log, 77, 1);
    ExpectBeginnings(**log, {{0, 1}, {77, 1}});
  }

  void Copy(const SampleStore& sample) { sample.CopyTo(copy_); }

  const SampleStore sample_{Ending::kClosed};
  const std::vector<std::string> sound_ = Answers(sample_.path(), OpenMode::kRead);
  TempDir folder_;
  const fs::path copy_ = folder_ / "store";
};

TEST_F(IndexLossTest, AMissingIndexIsRebuilt) {
  Copy(sample_);
  fs::remove_all(copy_ / "index");
  ExpectSameAnswers();
}

TEST_F(IndexLossTest, AnEmptyIndexFolderIsFilled) {
  Copy(sample_);
  fs::remove_all(copy_ / "index");
  fs::create_directory(copy_ / "index");
  ExpectSameAnswers();
}

TEST_F(IndexLossTest, AFileInsteadOfTheIndexIsAnErrorOrReplaced) {
  Copy(sample_);
  fs::remove_all(copy_ / "index");
  std::ofstream(copy_ / "index") << "not a folder";
  EXPECT_EQ(Answers(copy_, OpenMode::kRead), sound_);
  const std::vector<std::string> written = Answers(copy_, OpenMode::kWrite);
  EXPECT_TRUE(written == sound_ || written[0].starts_with("error")) << written[0];
}

TEST_F(IndexLossTest, ReindexMakesTheSameIndex) {
  Copy(sample_);
  const auto made = ReindexStore(copy_);
  ASSERT_TRUE(made) << made.error().message;
  ExpectSameAnswers();
}

TEST_F(IndexLossTest, TheIndexOfAnotherStoreIsReplaced) {
  const SampleStore other(Ending::kClosed);
  Copy(sample_);
  fs::remove_all(copy_ / "index");
  fs::copy(other.path() / "index", copy_ / "index");
  ExpectSameAnswers();
}

TEST_F(IndexLossTest, AnIndexOfAnotherVersionIsRebuiltOrLeftAlone) {
  const auto version = [&] {
    const auto base = IndexBase::Open(copy_ / "index", IndexBase::Access::kRead, Environment{});
    return (**(*base)->Get(MetaKey())).front();
  };
  Copy(sample_);
  {
    const auto base = IndexBase::Open(copy_ / "index", IndexBase::Access::kWrite, Environment{});
    ASSERT_TRUE(base) << base.error().message;
    std::string meta = **(*base)->Get(MetaKey());
    meta.front() = static_cast<char>(kIndexVersion - 1);
    IndexBatch batch;
    batch.Put(MetaKey(), meta);
    ASSERT_TRUE((*base)->Apply(batch));
  }
  EXPECT_EQ(Answers(copy_, OpenMode::kRead), sound_);
  EXPECT_EQ(version(), static_cast<char>(kIndexVersion - 1));
  EXPECT_EQ(Answers(copy_, OpenMode::kWrite), sound_);
  EXPECT_EQ(version(), static_cast<char>(kIndexVersion));
  ExpectSameAnswers();
}

// The final log with the index of each earlier checkpoint.
TEST_F(IndexLossTest, AnOlderIndexCatchesUp) {
  fs::remove_all(copy_);
  constexpr int kSteps = 6;
  for (int step = 0; step < kSteps; ++step) {
    {
      const auto log = EventLog::Open(copy_, kOptions, Environment{});
      ASSERT_TRUE(log) << log.error().message;
      for (std::uint32_t conversation = 0; conversation < 4; ++conversation) Append(**log, conversation, 1 + step % 3);
      Append(**log, 20 + static_cast<std::uint32_t>(step), 2);
    }
    fs::copy(copy_ / "index", folder_ / fmt::format("index {}", step));
  }
  const std::vector<std::string> sound = Answers(copy_, OpenMode::kRead);
  for (int step = 0; step < kSteps; ++step) {
    SCOPED_TRACE(step);
    fs::remove_all(copy_ / "index");
    fs::copy(folder_ / fmt::format("index {}", step), copy_ / "index");
    EXPECT_EQ(Answers(copy_, OpenMode::kRead), sound);
    EXPECT_EQ(Answers(copy_, OpenMode::kWrite), sound);
    ExpectClean(copy_);
  }
}

TEST_F(IndexLossTest, AnIndexThatIsAheadOfTheLogIsRefused) {
  const auto appended = [&] {
    const auto log = EventLog::Open(copy_, kOptions, Environment{});
    ASSERT_TRUE(log) << log.error().message;
    Append(**log, 5, 10);
  };
  Copy(sample_);
  fs::copy(copy_ / "log", folder_ / "old log");
  appended();
  fs::remove_all(copy_ / "log");
  fs::copy(folder_ / "old log", copy_ / "log");
  const auto log = EventLog::Open(copy_, kOptions, Environment{});
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, ErrorCode::kCorruption);
  EXPECT_NE(log.error().message.find("log/"), std::string::npos) << log.error().message;
  const auto report = VerifyStore(copy_);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->clean());
}

// Every file of the index, damaged at some offsets. A writer checks the index and rebuilds it if necessary; a reader
// cannot, and returns errors for unknown answers.
class DamagedIndexTest : public IndexLossTest {
 protected:
  void ExpectMended(const std::string& what) {
    SCOPED_TRACE(what);
    const std::vector<std::string> read = Answers(copy_, OpenMode::kRead);
    const bool failed = std::ranges::any_of(read, [](const std::string& line) { return line.starts_with("error"); });
    EXPECT_TRUE(failed || read == sound_) << "a reader's answers differ, and no error says so";
    EXPECT_EQ(Answers(copy_, OpenMode::kWrite), sound_);
    ExpectClean(copy_);
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(sample_.path() / "index")) {
      names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }

  std::ptrdiff_t Tables() const {
    return std::ranges::count_if(fs::directory_iterator(copy_ / "index"),
                                 [](const auto& entry) { return entry.path().extension() == ".sst"; });
  }
};

TEST_F(DamagedIndexTest, EachMissingFile) {
  for (const std::string& name : Files()) {
    Copy(sample_);
    fs::remove(copy_ / "index" / name);
    ExpectMended(name + " is gone");
  }
}

TEST_F(DamagedIndexTest, EachFileCut) {
  for (const std::string& name : Files()) {
    const std::uint64_t size = fs::file_size(sample_.path() / "index" / name);
    for (const std::uint64_t length : {std::uint64_t{0}, size / 3, size - std::min<std::uint64_t>(size, 1)}) {
      Copy(sample_);
      fs::resize_file(copy_ / "index" / name, length);
      ExpectMended(fmt::format("{} cut to {} of {}", name, length, size));
    }
  }
}

TEST_F(DamagedIndexTest, EachFileWithAFlippedBit) {
  const std::uint64_t flips = SampleSize(9, 2'000);
  for (const std::string& name : Files()) {
    const std::uint64_t size = fs::file_size(sample_.path() / "index" / name);
    for (std::uint64_t offset = 0; offset < size; offset += size / flips + 1) {
      Copy(sample_);
      FlipBit(copy_ / "index" / name, offset, offset % 8);
      ExpectMended(fmt::format("{} byte {} of {}", name, offset, size));
      if (HasFailure()) return;
    }
  }
}

// RocksDB parses the properties of a table before it verifies them; see table_tail.h.
TEST_F(DamagedIndexTest, TheEndOfATableIsVerifiedBeforeItIsParsed) {
  constexpr std::size_t kFooter = 53;
  std::size_t tables = 0;
  for (const std::string& name : Files()) {
    if (!name.ends_with(".sst")) continue;
    ++tables;
    std::ifstream file(sample_.path() / "index" / name, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const ReadTable read = [&](std::uint64_t offset, std::size_t length) {
      const bool inside = offset <= bytes.size() && length <= bytes.size() - offset;
      return inside ? std::optional(bytes.substr(offset, length)) : std::nullopt;
    };
    EXPECT_TRUE(IsTableTailSound(bytes.size(), read));
    for (std::size_t at = bytes.find("rocksdb."); at < bytes.size() - kFooter + 1; ++at) {
      bytes[at] ^= '\x80';
      EXPECT_FALSE(IsTableTailSound(bytes.size(), read)) << name << " byte " << at;
      bytes[at] ^= '\x80';
    }
    for (const std::size_t length : {std::size_t{0}, kFooter - 1, bytes.size() - kFooter, bytes.size() - 1}) {
      EXPECT_FALSE(IsTableTailSound(length, read)) << name << " cut to " << length;
    }
  }
  EXPECT_GT(tables, 0U);
}

// RocksDB 7.8 silently skips a damaged block at the beginning of a file below level 0 when iterating; lists must
// not.
TEST_F(DamagedIndexTest, AListIsCompleteOrAnErrorWhateverBlockIsDamaged) {
  fs::remove_all(copy_);
  constexpr std::uint32_t kConversations = 900;
  constexpr int kCheckpoints = 10;  // more than RocksDB keeps on level 0
  {
    OrderedEnv env(rocksdb::FileSystem::Default());
    const auto log = EventLog::Open(copy_, {}, Environment{.index = &env});
    ASSERT_TRUE(log) << log.error().message;
    for (int i = 0; i < kCheckpoints; ++i) {
      for (std::uint32_t c = 0; c < kConversations; c += kCheckpoints) {
        const auto name = ConversationId::Parse(fmt::format("conversation {:032}", c + static_cast<std::uint32_t>(i)));
        const Event asked{.body = InquiryRequest{.id = {.text = "q"}, .question = {.text = "?"}}};
        ASSERT_TRUE((*log)->Append(*name, asked, {.durability = Durability::kBuffered}));
      }
      ASSERT_TRUE((*log)->Checkpoint());
    }
    env.RunJobs();  // compacts so many files
    ASSERT_LT(Tables(), kCheckpoints);
  }
  std::size_t errors = 0;
  for (const auto& entry : fs::directory_iterator(copy_ / "index")) {
    if (entry.path().extension() != ".sst") continue;
    for (std::uint64_t offset = 100; offset < entry.file_size(); offset += 4 << 10) {
      SCOPED_TRACE(fmt::format("{} byte {}", entry.path().filename().string(), offset));
      FlipBit(entry.path(), offset);
      const auto log = EventLog::Open(copy_, {.mode = OpenMode::kRead}, Environment{});
      if (log) {
        const auto list = (*log)->List("", 2 * kConversations);
        const auto pending = (*log)->Pending({});
        EXPECT_TRUE(!list || list->size() == kConversations) << list->size();
        EXPECT_TRUE(!pending || pending->size() == kConversations) << pending->size();
        errors += list && pending ? 0 : 1;
      }
      FlipBit(entry.path(), offset);
    }
  }
  EXPECT_GT(errors, 5U);
}

}  // namespace
}  // namespace turnlog::index_loss_test
