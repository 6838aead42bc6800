// Opening: modes, folders with other contents, other versions.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "store/segments/store_identity.h"
#include "tests/store/log_fixture.h"

namespace turnlog::open_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class OpenTest : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_ / "store"; }
  Result<std::unique_ptr<Log>> Open(OpenMode mode) { return OpenSegmentLog(path(), {.mode = mode}); }
  void Make() { Must(Must(Open(OpenMode::kCreateNew))->Close()); }
  void WriteIdentity(const std::string& text) { std::ofstream(path() / "STORE", std::ios::binary) << text; }
  std::string ReadIdentityText() {
    std::ifstream file(path() / "STORE", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TempDir folder_;
};

TEST_F(OpenTest, CreatesAStoreOnlyWhenAskedTo) {
  EXPECT_EQ(CodeOf(Open(OpenMode::kRead)), "not found");
  EXPECT_EQ(CodeOf(Open(OpenMode::kWrite)), "not found");
  EXPECT_FALSE(std::filesystem::exists(path()));
  Make();
  EXPECT_EQ(CodeOf(Open(OpenMode::kWrite)), "fine");
  EXPECT_EQ(CodeOf(Open(OpenMode::kCreate)), "fine");
  EXPECT_EQ(CodeOf(Open(OpenMode::kRead)), "fine");
}

TEST_F(OpenTest, CreateTakesWhatIsThere) {
  Must(Must(Open(OpenMode::kCreate))->Append(Id("a"), Say("1")));
  EXPECT_THAT(Lines(*Must(Open(OpenMode::kCreate)), "a"), ElementsAre("1 0 1"));
}

TEST_F(OpenTest, CreateNewRefusesAStoreAndLeavesItAlone) {
  Must(Must(Open(OpenMode::kCreate))->Append(Id("a"), Say("1")));
  EXPECT_EQ(CodeOf(Open(OpenMode::kCreateNew)), "invalid argument");
  EXPECT_THAT(Lines(*Must(Open(OpenMode::kWrite)), "a"), ElementsAre("1 0 1"));
}

TEST_F(OpenTest, TakesAnEmptyFolder) {
  std::filesystem::create_directory(path());
  EXPECT_EQ(CodeOf(Open(OpenMode::kCreateNew)), "fine");
}

TEST_F(OpenTest, RefusesAFolderThatHoldsSomethingElse) {
  std::filesystem::create_directory(path());
  std::ofstream(path() / "thesis.txt") << "mine";
  for (const OpenMode mode : {OpenMode::kCreate, OpenMode::kCreateNew}) {
    EXPECT_EQ(CodeOf(Open(mode)), "invalid argument");
  }
  EXPECT_EQ(CodeOf(Open(OpenMode::kRead)), "not found");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path()), {}), 1);
}

TEST_F(OpenTest, RefusesAFileAndAPathWithoutParent) {
  std::ofstream(path()) << "no folder";
  EXPECT_EQ(CodeOf(Open(OpenMode::kCreate)), "i/o error");
  EXPECT_EQ(CodeOf(Open(OpenMode::kRead)), "not found");
  EXPECT_EQ(CodeOf(OpenSegmentLog(folder_ / "no/such/parent")), "not found");
}

TEST_F(OpenTest, TakesWhatAnInterruptedCreationLeft) {
  std::filesystem::create_directories(path() / "log");
  std::ofstream(path() / "STORE.tmp") << "turnlog st";
  std::ofstream(path() / "LOCK") << "process 1";
  EXPECT_EQ(CodeOf(Open(OpenMode::kRead)), "not found");
  const auto log = Must(Open(OpenMode::kCreate));
  Must(log->Append(Id("a"), Say("1")));
}

// A new one would take the store's place, and its log would belong to another store.
TEST_F(OpenTest, CreatesNothingWhereAStoreHasLostItsIdentity) {
  Must(Must(Open(OpenMode::kCreate))->Append(Id("a"), Say("1")));
  const std::string identity = ReadIdentityText();
  std::filesystem::remove(path() / "STORE");
  for (const OpenMode mode : {OpenMode::kCreate, OpenMode::kCreateNew, OpenMode::kWrite, OpenMode::kRead}) {
    EXPECT_EQ(CodeOf(Open(mode)), "corruption");
    EXPECT_FALSE(std::filesystem::exists(path() / "STORE"));
  }
  WriteIdentity(identity);
  EXPECT_EQ(CodeOf(Open(OpenMode::kWrite)), "fine");
}

TEST_F(OpenTest, RefusesALaterFormatAndNamesBoth) {
  Make();
  StoreIdentity identity = Must(DecodeIdentity(ReadIdentityText()));
  identity.format_version = kFormatVersion + 1;
  WriteIdentity(EncodeIdentity(identity));
  for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite, OpenMode::kCreate}) {
    const auto refused = Open(mode);
    EXPECT_EQ(CodeOf(refused), "unsupported version");
    EXPECT_THAT(MessageOf(refused), HasSubstr("3"));
    EXPECT_THAT(MessageOf(refused), HasSubstr("1 to 2"));
  }
}

TEST_F(OpenTest, RefusesADamagedIdentity) {
  Make();
  const std::string sound = ReadIdentityText();
  std::string changed = sound;
  changed[sound.find("\nid ") + 4] ^= 1;
  for (const std::string& damaged :
       {std::string(), std::string("something else\n"), sound.substr(0, sound.size() / 2), changed}) {
    WriteIdentity(damaged);
    for (const OpenMode mode : {OpenMode::kRead, OpenMode::kWrite, OpenMode::kCreate}) {
      EXPECT_EQ(CodeOf(Open(mode)), "corruption") << damaged;
    }
  }
  WriteIdentity(sound);
  EXPECT_EQ(CodeOf(Open(OpenMode::kWrite)), "fine");
}

TEST_F(OpenTest, RefusesTooSmallSegmentsAndNoCheckpoints) {
  EXPECT_EQ(CodeOf(OpenSegmentLog(path(), {.segment_bytes = 100})), "invalid argument");
  EXPECT_EQ(CodeOf(OpenSegmentLog(path(), {.checkpoint_bytes = 0})), "invalid argument");
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(OpenTest, ReadOnlyRefusesToWriteAndTouchesNothing) {
  Must(Must(Open(OpenMode::kCreate))->Append(Id("a"), Say("1")));
  const auto files = [&] {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path())) {
      all.push_back(entry.path().string() + (entry.is_regular_file() ? " " + std::to_string(entry.file_size()) : ""));
    }
    std::ranges::sort(all);
    return all;
  };
  const auto before = files();
  const auto log = Must(Open(OpenMode::kRead));
  EXPECT_EQ(CodeOf(log->Append(Id("a"), Say("2"))), "read only");
  EXPECT_EQ(CodeOf(log->AppendLater(Id("a"), {})), "read only");
  EXPECT_EQ(CodeOf(log->Wait({}, Durability::kBuffered)), "read only");
  EXPECT_EQ(CodeOf(log->Checkpoint()), "read only");
  EXPECT_THAT(Lines(*log, "a"), ElementsAre("1 0 1"));
  Must(log->Close());
  EXPECT_EQ(files(), before);
}

TEST_F(OpenTest, EmptyStoreAnswersEverything) {
  for (const OpenMode mode : {OpenMode::kCreate, OpenMode::kRead}) {
    const auto log = Must(Open(mode));
    EXPECT_EQ(CodeOf(log->ReadRaw(Id("a"))), "not found");
    EXPECT_EQ(CodeOf(log->Info(Id("a"))), "not found");
    EXPECT_EQ(CodeOf(log->FindInquiry(Id("a"), {"i", {}})), "not found");
    EXPECT_EQ(CodeOf(log->Pending(Id("a"))), "not found");
    EXPECT_THAT(Must(log->List("", 10)), ElementsAre());
    EXPECT_THAT(Must(log->Pending({})), ElementsAre());
    EXPECT_THAT(TailLines(*Must(log->Follow({}))), ElementsAre());
    EXPECT_EQ(Must(log->End()), Position{});
    EXPECT_EQ(Must(log->Stats()).conversations, 0U);
    Must(log->Refresh());
  }
}

TEST_F(OpenTest, EachStoreHasItsOwnId) {
  Make();
  Must(Must(OpenSegmentLog(folder_ / "other"))->Close());
  const std::string id = Must(Must(Open(OpenMode::kRead))->Stats()).store_id;
  EXPECT_EQ(id.size(), 32U);
  EXPECT_NE(id, Must(Must(OpenSegmentLog(folder_ / "other"))->Stats()).store_id);
  EXPECT_EQ(id, Must(Must(Open(OpenMode::kWrite))->Stats()).store_id);
}

// Existing segments keep their size; new ones have the size of the current options.
TEST_F(OpenTest, SegmentSizeMayChangeFromOpenToOpen) {
  std::vector<std::string> expected;
  for (const std::uint64_t kib : {8U, 64U, 16U, 300U, 8U}) {
    const auto log = Must(OpenSegmentLog(path(), {.segment_bytes = kib << 10}));
    for (int i = 0; i < 30; ++i) {
      const std::string text(1000, static_cast<char>('a' + i % 26));
      Must(log->Append(Id("a"), Say(text), {.durability = Durability::kBuffered}));
      expected.push_back(std::to_string(expected.size() + 1) + " 0 " + text);
    }
  }
  EXPECT_EQ(Lines(*Must(Open(OpenMode::kRead)), "a"), expected);
}

}  // namespace
}  // namespace turnlog::open_test
