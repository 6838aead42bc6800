// The index's files, damaged where RocksDB does not notice by itself.
#include "store/index/index_base.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "tests/store/sample_store.h"
#include "tests/support/fault_rocks_files.h"
#include "tests/support/must.h"
#include "tests/support/no_retry_env.h"
#include "tests/support/temp_dir.h"

namespace turnlog::index_base_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kEntries = 2'000;

// An index whose lowest level is several files, as that of a large store is.
void MakeIndex(const fs::path& folder) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.compression = rocksdb::kNoCompression;
  options.target_file_size_base = 20'000;
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, folder.string(), &opened).ok());
  const std::unique_ptr<rocksdb::DB> db(opened);
  for (std::size_t first = 0; first < 2; ++first) {  // two files that overlap: a compaction writes them again
    for (std::size_t i = first; i < kEntries; i += 2) {
      ASSERT_TRUE(db->Put({}, fmt::format("\x02{:06}", i), std::string(30, 'v')).ok());
    }
    ASSERT_TRUE(db->Flush({}).ok());
  }
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
}

std::vector<fs::path> Tables(const fs::path& folder) {
  std::vector<fs::path> tables;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".sst") tables.push_back(entry.path().filename());
  }
  return tables;
}

TEST(IndexBaseTest, ADamagedBlockNeverEndsARangeWithoutAWord) {
  const TempDir folder;
  MakeIndex(folder / "sound");
  ASSERT_GT(Tables(folder / "sound").size(), 2U);
  std::size_t refused = 0;
  for (const fs::path& table : Tables(folder / "sound")) {
    for (std::uint64_t offset = 100; offset < fs::file_size(folder / "sound" / table); offset += 1'000) {
      fs::remove_all(folder / "copy");
      fs::copy(folder / "sound", folder / "copy");
      FlipBit(folder / "copy" / table, offset);
      const auto base = IndexBase::Open(folder / "copy", IndexBase::Access::kRead, Environment{});
      const auto entries =
          base ? (*base)->Range("\x02", "\x02", SIZE_MAX)
               : Result<std::vector<std::pair<std::string, std::string>>>(std::unexpected(base.error()));
      if (!entries) {
        ++refused;
      } else {
        EXPECT_EQ(entries->size(), kEntries) << table << " " << offset;
      }
    }
  }
  EXPECT_GT(refused, 0U);
}

// As turnlog's indexes were until they were compacted by size.
TEST(IndexBaseTest, AnIndexOfLevelsIsReadAndGrows) {
  const TempDir folder;
  MakeIndex(folder / "index");
  ASSERT_GT(Tables(folder / "index").size(), 2U);
  for (int times = 0; times < 2; ++times) {
    const auto base = Must(IndexBase::Open(folder / "index", IndexBase::Access::kWrite, Environment{}));
    for (std::size_t round = 0; round < 12; ++round) {
      IndexBatch batch;
      for (std::size_t i = round; i < kEntries; i += 12) batch.Put(fmt::format("\x02{:06}", i), fmt::format("{}", i));
      batch.Put("\x03", fmt::format("{}", round));
      ASSERT_TRUE(base->Apply(batch));
    }
    const auto entries = Must(base->Range("\x02", "\x02", SIZE_MAX));
    ASSERT_EQ(entries.size(), kEntries);
    for (std::size_t i = 0; i < kEntries; ++i) {
      ASSERT_EQ(entries[i], std::pair(fmt::format("\x02{:06}", i), fmt::format("{}", i)));
    }
    EXPECT_EQ(*base->Get("\x03"), "11");
    EXPECT_TRUE(base->VerifyChecksums());
    base->Close();
  }
}

// Without RocksDB's own recovery, which can keep Close waiting for ever.
TEST(IndexBaseTest, AFullDiskIsOverWhenThereIsRoomAgain) {
  const auto files = std::make_shared<FaultRocksFiles>();
  NoRetryEnv env(files);
  const Environment environment{.files = &PosixFileSystem(), .index = &env};
  std::uint64_t n = 1;
  for (bool failed = true; failed; ++n) {
    SCOPED_TRACE(n);
    const TempDir folder;
    const auto base = *IndexBase::Open(folder / "index", IndexBase::Access::kCreate, environment);
    IndexBatch first, second;
    first.Put("\x02first", "1");
    second.Put("\x02second", "2");
    files->FailMutation(n, FaultMode::kNoSpace);
    const bool applied = base->Apply(first).has_value();
    failed = !files->failed().empty();
    files->Heal();
    EXPECT_EQ(applied, !failed);
    EXPECT_TRUE(base->Apply(first));
    EXPECT_TRUE(base->Apply(second));
    EXPECT_EQ(*base->Get("\x02first"), "1");
    EXPECT_EQ(*base->Get("\x02second"), "2");
    base->Close();
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(n, 5U);
}

}  // namespace
}  // namespace turnlog::index_base_test
