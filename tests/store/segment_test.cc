#include "store/segments/segment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/hash.h"
#include "store/segments/log_end.h"
#include "store/segments/segment_set.h"
#include "tests/support/temp_dir.h"

namespace turnlog::segment_test {
namespace {

namespace fs = std::filesystem;

class SegmentTest : public testing::Test {
 protected:
  Status Create(SegmentExtent extent) { return CreateSegment(PosixFileSystem(), folder_.path(), identity_, extent); }
  Result<SegmentExtent> Read(const std::string& name) {
    return ReadSegmentHeader(PosixFileSystem(), folder_.path(), name, identity_);
  }
  void Overwrite(const std::string& name, std::uint64_t offset, std::string_view bytes) {
    const auto file = PosixFileSystem().Open(folder_ / name, FileSystem::Access::kWrite);
    ASSERT_TRUE(file && (*file)->WriteAt(offset, bytes));
  }
  std::string Bytes(const std::string& name) { return *ReadFile(PosixFileSystem(), folder_ / name); }

  const TempDir folder_;
  const StoreIdentity identity_ = NewIdentity();
};

TEST_F(SegmentTest, HasItsSizeItsHeaderAndZeros) {
  const SegmentExtent extent{.base = 0x12000, .size = 12 << 10};
  ASSERT_TRUE(Create(extent));
  EXPECT_EQ(SegmentName(extent.base), "0000000000012000.seg");
  EXPECT_EQ(Read(SegmentName(extent.base)), extent);
  const std::string bytes = Bytes(SegmentName(extent.base));
  EXPECT_EQ(bytes.size(), extent.size);
  EXPECT_EQ(bytes.substr(56), std::string(extent.size - 56, '\0'));
  EXPECT_EQ(extent.first(), extent.base + 4096);
  EXPECT_EQ(extent.end(), extent.base + extent.size);
}

TEST_F(SegmentTest, ReplacesWhatAnInterruptedMakingLeft) {
  std::string leftover(100'000, 'x');
  ASSERT_TRUE(WriteFile(PosixFileSystem(), folder_ / "leftover", leftover));
  fs::rename(folder_ / "leftover", folder_ / (SegmentName(0) + ".tmp"));
  ASSERT_TRUE(Create({0, 8 << 10}));
  EXPECT_EQ(Bytes(SegmentName(0)).size(), 8U << 10);
  EXPECT_FALSE(fs::exists(folder_ / (SegmentName(0) + ".tmp")));
}

TEST_F(SegmentTest, AFlippedBitInTheHeaderIsNoticed) {
  const std::string name = SegmentName(0x2000);
  ASSERT_TRUE(Create({0x2000, 8 << 10}));
  const std::string sound = Bytes(name);
  for (std::size_t byte = 0; byte < 56; ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      const char flipped = static_cast<char>(sound[byte] ^ (1 << bit));
      Overwrite(name, byte, std::string_view(&flipped, 1));
      const auto read = Read(name);
      ASSERT_FALSE(read) << "byte " << byte << " bit " << bit;
      EXPECT_EQ(read.error().code, ErrorCode::kCorruption);
      EXPECT_TRUE(read.error().message.starts_with("log/" + name)) << read.error().message;
      Overwrite(name, byte, std::string_view(&sound[byte], 1));
    }
  }
  Overwrite(name, 56, "the rest of the page is not used");
  EXPECT_TRUE(Read(name));
}

TEST_F(SegmentTest, AShortFileIsDamaged) {
  ASSERT_TRUE(Create({0, 8 << 10}));
  for (const std::uint64_t size : {0U, 1U, 55U, 4095U}) {
    fs::resize_file(folder_ / SegmentName(0), size);
    const auto read = Read(SegmentName(0));
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code, ErrorCode::kCorruption);
  }
}

TEST_F(SegmentTest, BelongsToOneStoreAndOneBase) {
  ASSERT_TRUE(Create({0, 8 << 10}));
  const auto foreign = ReadSegmentHeader(PosixFileSystem(), folder_.path(), SegmentName(0), NewIdentity());
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, ErrorCode::kCorruption);
  fs::rename(folder_ / SegmentName(0), folder_ / SegmentName(0x2000));
  const auto moved = Read(SegmentName(0x2000));
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, ErrorCode::kCorruption);
}

TEST_F(SegmentTest, ALaterVersionIsNotCalledDamage) {
  ASSERT_TRUE(Create({0, 8 << 10}));
  std::string header = Bytes(SegmentName(0)).substr(0, 56);
  StoreLittle(header.data() + 8, kFormatVersion + 1);
  StoreLittle(header.data() + 48, Hash64(std::string_view(header).substr(0, 48)));
  Overwrite(SegmentName(0), 0, header);
  const auto read = Read(SegmentName(0));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kUnsupportedVersion);
}

TEST(SegmentBytesTest, GrowWithTheLogUpToTheLimitAndHoldAnyFrame) {
  constexpr std::uint64_t kMiB = 1 << 20;
  EXPECT_EQ(SegmentBytes(0, 64 * kMiB, 0), kMiB);
  EXPECT_EQ(SegmentBytes(kMiB, 64 * kMiB, 0), kMiB);
  EXPECT_EQ(SegmentBytes(5 * kMiB, 64 * kMiB, 0), 4 * kMiB);
  EXPECT_EQ(SegmentBytes(1'000 * kMiB, 64 * kMiB, 0), 64 * kMiB);
  EXPECT_EQ(SegmentBytes(0, 8 << 10, 0), 8U << 10) << "the first one too";
  EXPECT_EQ(SegmentBytes(0, 8 << 10, 4096 - 32), 8U << 10) << "header page, frame, seal";
  EXPECT_EQ(SegmentBytes(0, 8 << 10, 4096 - 24), 12U << 10);
  EXPECT_EQ(SegmentBytes(0, 9'000, 0) % 4096, 0U) << "whole pages";
}

class SegmentSetTest : public SegmentTest {
 protected:
  std::unique_ptr<SegmentSet> Set(bool writable = true) {
    auto set = std::make_unique<SegmentSet>(PosixFileSystem(), folder_.path(), identity_, writable);
    EXPECT_TRUE(set->Refresh());
    return set;
  }
  static constexpr std::uint64_t kSize = 8 << 10;
  static SegmentExtent At(std::uint64_t number) { return {number * kSize, kSize}; }
};

TEST_F(SegmentSetTest, FindsTheSegmentOfAPosition) {
  for (std::uint64_t i : {0U, 1U, 3U}) ASSERT_TRUE(Create(At(i)));
  const auto set = Set();
  EXPECT_THAT(set->all(), testing::ElementsAre(At(0), At(1), At(3)));
  EXPECT_EQ((*set->Find(0))->extent, At(0));
  EXPECT_EQ((*set->Find(kSize - 1))->extent, At(0));
  EXPECT_EQ((*set->Find(kSize))->extent, At(1));
  EXPECT_EQ(*set->Find(2 * kSize), nullptr) << "missing";
  EXPECT_EQ(*set->Find(4 * kSize), nullptr) << "behind the last";
  EXPECT_EQ(set->NextFrom(0), At(0));
  EXPECT_EQ(set->NextFrom(1), At(1));
  EXPECT_EQ(set->NextFrom(kSize + 1), At(3));
  EXPECT_EQ(set->NextFrom(3 * kSize + 1), std::nullopt);
}

TEST_F(SegmentSetTest, TakesInWhatHasCome) {
  const auto set = Set(false);
  EXPECT_TRUE(set->all().empty());
  ASSERT_TRUE(Create(At(0)));
  ASSERT_TRUE(WriteFile(PosixFileSystem(), folder_ / "notes.txt", "not ours"));
  ASSERT_TRUE(set->Refresh());
  EXPECT_THAT(set->all(), testing::ElementsAre(At(0)));
}

TEST_F(SegmentSetTest, AReaderOpensTheSegmentThatReplacedAPreallocatedOne) {
  ASSERT_TRUE(Create(At(0)));
  ASSERT_TRUE(Create(At(1)));
  const auto reader = Set(false);
  const SegmentExtent larger{At(1).base, 3 * kSize};
  ASSERT_TRUE(Set()->Prepare(larger));
  EXPECT_EQ((*reader->Find(larger.base))->extent, larger);
  EXPECT_THAT(reader->all(), testing::ElementsAre(At(0), larger));
}

// As by a writer that closes after the reader has listed the folder.
TEST_F(SegmentSetTest, AReaderForgetsAPreallocatedSegmentThatIsGone) {
  for (std::uint64_t i : {0U, 1U, 2U}) ASSERT_TRUE(Create(At(i)));
  const auto reader = Set(false), writer = Set();
  for (std::uint64_t i : {1U, 2U}) ASSERT_TRUE(PosixFileSystem().Remove(folder_ / SegmentName(At(i).base)));
  const auto end = FindLogEnd(*reader, 0);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->end, 0U);
  EXPECT_FALSE(end->lost_end);
  EXPECT_EQ(*reader->Find(At(1).base), nullptr);
  EXPECT_THAT(reader->all(), testing::ElementsAre(At(0)));
  EXPECT_EQ(writer->Find(At(1).base).error().code, ErrorCode::kNotFound) << "nobody else removes a writer's";

  ASSERT_TRUE(Create(At(1)));
  ASSERT_TRUE(reader->Refresh());
  EXPECT_EQ((*reader->Find(At(1).base))->extent, At(1));
}

TEST_F(SegmentSetTest, ADamagedHeaderIsAnErrorOrNoted) {
  for (std::uint64_t i : {0U, 1U, 2U}) ASSERT_TRUE(Create(At(i)));
  Overwrite(SegmentName(kSize), 40, "?");
  SegmentSet strict(PosixFileSystem(), folder_.path(), identity_, true);
  const Status refused = strict.Refresh();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCorruption);
  SegmentSet lenient(PosixFileSystem(), folder_.path(), identity_, false);
  std::vector<Damage> damage;
  ASSERT_TRUE(lenient.Refresh(&damage));
  ASSERT_EQ(damage.size(), 1U);
  EXPECT_EQ(damage[0].file, "log/" + SegmentName(kSize));
  EXPECT_THAT(lenient.all(), testing::ElementsAre(At(0), At(2)));
  EXPECT_TRUE(lenient.Refresh()) << "it is known by now";
}

TEST_F(SegmentSetTest, CreatesASegmentOrUsesThePreallocatedOne) {
  const auto set = Set();
  ASSERT_TRUE(set->Preallocate(At(0)));
  EXPECT_TRUE(fs::exists(folder_ / SegmentName(0)));
  const auto taken = set->Prepare(At(0));
  ASSERT_TRUE(taken);
  EXPECT_EQ((*taken)->extent, At(0));
  const auto made = set->Prepare(At(1));
  ASSERT_TRUE(made);
  ASSERT_TRUE((*made)->file->WriteAt(4096, "frames"));
  EXPECT_EQ(Bytes(SegmentName(kSize)).substr(4096, 6), "frames");
}

TEST_F(SegmentSetTest, ReplacesAPreallocatedSegmentOfAnotherSize) {
  const auto set = Set();
  ASSERT_TRUE(set->Preallocate(At(0)));
  ASSERT_TRUE(set->Find(0)) << "open it, to see that the old file is let go";
  const SegmentExtent large{0, 5 * kSize};
  const auto taken = set->Prepare(large);
  ASSERT_TRUE(taken);
  EXPECT_EQ((*taken)->extent, large);
  EXPECT_EQ(*(*taken)->file->Size(), large.size);
  EXPECT_THAT(set->all(), testing::ElementsAre(large));
}

TEST_F(SegmentSetTest, PreallocatesOnlyAfterTheLastSegment) {
  const auto set = Set();
  ASSERT_TRUE(set->Preallocate(At(1)));
  EXPECT_FALSE(fs::exists(folder_ / SegmentName(kSize))) << "there would be a gap";
  ASSERT_TRUE(set->Preallocate(At(0)));
  ASSERT_TRUE(set->Preallocate({0, 4 * kSize}));
  EXPECT_THAT(set->all(), testing::ElementsAre(At(0))) << "what is there stays as it is";
}

TEST_F(SegmentSetTest, RemovesFromAPositionOn) {
  for (std::uint64_t i : {0U, 1U, 2U}) ASSERT_TRUE(Create(At(i)));
  const auto set = Set();
  ASSERT_TRUE(set->RemoveFrom(kSize));
  EXPECT_THAT(set->all(), testing::ElementsAre(At(0)));
  EXPECT_FALSE(fs::exists(folder_ / SegmentName(kSize)));
  ASSERT_TRUE(set->RemoveFrom(kSize)) << "nothing to do";
}

TEST_F(SegmentSetTest, RemovesTemporaries) {
  ASSERT_TRUE(Create(At(0)));
  fs::copy(folder_ / SegmentName(0), folder_ / (SegmentName(kSize) + ".tmp"));
  const auto set = Set();
  EXPECT_THAT(set->all(), testing::ElementsAre(At(0)));
  ASSERT_TRUE(set->RemoveTemporaries());
  EXPECT_FALSE(fs::exists(folder_ / (SegmentName(kSize) + ".tmp")));
  EXPECT_TRUE(fs::exists(folder_ / SegmentName(0)));
}

TEST_F(SegmentSetTest, KeepsABoundedNumberOfFilesOpen) {
  constexpr std::uint64_t kMany = 150;
  for (std::uint64_t i = 0; i < kMany; ++i) ASSERT_TRUE(Create(At(i)));
  const auto open_files = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto set = Set();
  const auto before = open_files();
  const auto held = *set->Find(0);
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < kMany; ++i) {
      const auto segment = set->Find(i * kSize);
      ASSERT_TRUE(segment && *segment);
      EXPECT_EQ((*segment)->extent, At(i));
    }
  }
  EXPECT_LE(open_files() - before, 70);
  std::string byte(1, ' ');
  EXPECT_TRUE(held->file->ReadAt(0, byte)) << "who holds one can go on using it";
}

}  // namespace
}  // namespace turnlog::segment_test
