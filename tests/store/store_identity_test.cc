// The files STORE and LOCK: the store's identity and its writer.
#include "store/segments/store_identity.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "store/segments/writer_lock.h"
#include "tests/support/temp_dir.h"

namespace turnlog::store_identity_test {
namespace {

TEST(StoreIdentityTest, IsReadAsItWasWritten) {
  const StoreIdentity identity = NewIdentity();
  const auto read = DecodeIdentity(EncodeIdentity(identity));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->id_high, identity.id_high);
  EXPECT_EQ(read->id_low, identity.id_low);
  EXPECT_EQ(read->created, identity.created);
  EXPECT_EQ(read->salt(), identity.salt());
  EXPECT_EQ(identity.id().size(), 32U);
}

TEST(StoreIdentityTest, EveryStoreHasItsOwn) { EXPECT_NE(NewIdentity().id(), NewIdentity().id()); }

TEST(StoreIdentityTest, AFlippedBitIsAnErrorOrChangesNothing) {
  const StoreIdentity identity = NewIdentity();
  const std::string sound = EncodeIdentity(identity);
  for (std::size_t byte = 0; byte < sound.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string text = sound;
      text[byte] = static_cast<char>(text[byte] ^ (1 << bit));
      const auto read = DecodeIdentity(text);
      if (!read) continue;
      EXPECT_EQ(read->id(), identity.id()) << "byte " << byte << " bit " << bit;
      EXPECT_GT(byte, sound.rfind("checksum")) << "only the checksum's own digits may differ in their case";
    }
  }
}

TEST(StoreIdentityTest, AShortenedFileIsAnError) {
  const std::string sound = EncodeIdentity(NewIdentity());
  for (std::size_t length = 0; length + 1 < sound.size(); ++length) {
    EXPECT_FALSE(DecodeIdentity(sound.substr(0, length))) << length;
  }
}

TEST(StoreIdentityTest, ALaterFormatIsNotCalledDamage) {
  StoreIdentity identity = NewIdentity();
  identity.format_version = kFormatVersion + 1;
  const auto read = DecodeIdentity(EncodeIdentity(identity));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kUnsupportedVersion);
}

TEST(StoreIdentityTest, WhatIsNoStoreIsNotFound) {
  const TempDir folder;
  const auto read = ReadIdentity(PosixFileSystem(), {folder.path()});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kNotFound);
}

TEST(StoreIdentityTest, TheFileComesLast) {
  const TempDir folder;
  const StorePaths paths{folder.path()};
  const auto created = CreateStore(PosixFileSystem(), paths);
  ASSERT_TRUE(created);
  EXPECT_EQ(ReadIdentity(PosixFileSystem(), paths)->id(), created->id());
  EXPECT_TRUE(std::filesystem::is_directory(paths.log()));
}

class WriterLockTest : public testing::Test {
 protected:
  Result<std::unique_ptr<FileLock>> Acquire(std::string_view holder) {
    return AcquireWriterLock(PosixFileSystem(), folder_ / "LOCK", holder);
  }
  const TempDir folder_;
};

TEST_F(WriterLockTest, TheErrorOfASecondWriterNamesTheHolder) {
  const auto first = Acquire("the first one");
  ASSERT_TRUE(first);
  const auto second = Acquire("the second one");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  EXPECT_THAT(second.error().message, testing::HasSubstr("the first one"));
  EXPECT_THAT(second.error().message, testing::HasSubstr(fmt::format("process {}", ::getpid())));
}

TEST_F(WriterLockTest, IsFreeWhenItsHolderIsGone) {
  ASSERT_TRUE(Acquire("a holder with a very long name, which the next one must not find the end of"));
  const auto next = Acquire("next");
  ASSERT_TRUE(next);
  const auto refused = Acquire("");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, testing::Not(testing::HasSubstr("find the end of")));
}

TEST_F(WriterLockTest, AHolderWithoutANameIsUnknown) {
  const auto held = PosixFileSystem().Lock(folder_ / "LOCK");
  ASSERT_TRUE(held);
  const auto refused = Acquire("me");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
}

}  // namespace
}  // namespace turnlog::store_identity_test
