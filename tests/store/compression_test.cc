// Stores that compress: what readers see, what stays on disk, and the setting.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/hash.h"
#include "store/engine/event_log.h"
#include "store/segments/payload_codec.h"
#include "store/segments/store_identity.h"
#include "tests/store/destroyed_fixture.h"
#include "turnlog/storage_visitor.h"

namespace turnlog::compression_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Compresses well, and differs from seq to seq.
std::string Text(std::uint64_t seq) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += fmt::format("the tool has read file {} of {}; ", i, seq);
  return text;
}

// The objects in which a search of everything that is stored finds the text.
class StoredText : public StorageVisitor {
 public:
  explicit StoredText(std::string text) : text_(std::move(text)) {}

  void OnPiece(const StoragePiece& piece) override { Look(piece.object, piece.bytes); }
  void OnEntry(std::string_view object, std::string_view key, std::string_view value) override {
    Look(object, key);
    Look(object, value);
  }
  void OnUnreadable(std::string_view object, std::string_view reason) override {
    unreadable.push_back(fmt::format("{}: {}", object, reason));
  }

  std::vector<std::string> found, unreadable;

 private:
  void Look(std::string_view object, std::string_view bytes) {
    if (bytes.find(text_) != std::string_view::npos) found.emplace_back(object);
  }

  const std::string text_;
};

// The same, and in between what occurs nowhere else.
std::string Secret(std::uint64_t seq) {
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += fmt::format("the tool has read file {:x}; ", Hash64(fmt::format("{} {}", seq, i)));
  return text;
}

class CompressionTest : public DestroyedFilesTest {
 protected:
  void Set(Compression compression) { Must(SetCompression(*log_, compression)); }

  // Ten events stored in each way, in turns.
  void AppendMixed(std::string_view conversation = "a") {
    for (std::uint64_t seq = 1; seq <= 30; ++seq) {
      Set(static_cast<Compression>(seq % 3));
      Must(Append(conversation, Say(Text(seq)), {}));
    }
  }

  // The stored payloads of compressed frames of the conversation, from the files.
  std::vector<std::string> CompressedPayloads() const {
    SegmentSet segments(PosixFileSystem(), path() / "log", *ReadIdentity(PosixFileSystem(), {path()}), false);
    EXPECT_TRUE(segments.Refresh());
    std::vector<std::string> payloads;
    FrameScanner scanner(segments, 0);
    for (auto frame = scanner.Next(); frame && *frame != nullptr; frame = scanner.Next()) {
      const FrameHeader& header = (*frame)->header;
      const bool event = header.type == FrameType::kEvent || header.type == FrameType::kReplacement;
      if (event && header.codec != kNoCodec) payloads.emplace_back((*frame)->payload);
    }
    return payloads;
  }

  std::vector<std::string> StoredWith(const std::string& text) {
    StoredText search(text);
    Must(log_->VisitStorage({.overlap = text.size(), .progress = {}}, search));
    EXPECT_THAT(search.unreadable, IsEmpty());
    return search.found;
  }

  std::string AllBytes() const {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(path())) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      all.append(std::istreambuf_iterator<char>(file), {});
    }
    return all;
  }

  // Nothing is left of a compressed payload: no part that could be there by more than chance, and that is not in
  // another payload as well.
  void ExpectGone(const std::string& payload) const {
    constexpr std::size_t kPart = 8;
    const std::string all = AllBytes();
    std::string others;
    for (const std::string& other : CompressedPayloads()) others += other;
    std::size_t searched = 0;
    for (std::size_t begin = 0; begin + kPart <= payload.size(); ++begin) {
      const std::string part = payload.substr(begin, kPart);
      if (others.find(part) != std::string::npos || part == std::string(kPart, '\0')) continue;
      ++searched;
      EXPECT_EQ(all.find(part), std::string::npos) << "bytes from " << begin;
    }
    EXPECT_GT(searched, 50U);
  }
};

TEST_F(CompressionTest, EveryReaderSeesWhatWasAppended) {
  AppendMixed();
  EXPECT_THAT(CompressedPayloads(), SizeIs(20));
  std::vector<std::string> expected, tailed;
  for (std::uint64_t seq = 1; seq <= 30; ++seq) {
    expected.push_back(fmt::format("{} 0 {}", seq, Text(seq)));
    tailed.push_back(fmt::format("a {} {}", seq, Text(seq)));
  }
  EXPECT_EQ(Lines(*log_, "a"), expected);
  EXPECT_EQ(TailLines(*Must(log_->Follow({}))), tailed);
  ExpectClean();
  ExpectSameAnswersAfterwards();
  EXPECT_EQ(Lines(*log_, "a"), expected);
}

TEST_F(CompressionTest, TakesLessSpaceAndCountsTheSameBytes) {
  const auto append = [&](std::string_view conversation) {
    for (std::uint64_t seq = 1; seq <= 20; ++seq) Must(Append(conversation, Say(Text(seq))));
    return Figure(*log_, "end_offset");
  };
  Set(Compression::kNone);
  const std::uint64_t begin = Figure(*log_, "end_offset"), plain = append("a") - begin;
  Set(Compression::kFast);
  const std::uint64_t fast = append("b") - begin - plain;
  Set(Compression::kSmall);
  const std::uint64_t small = append("c") - begin - plain - fast;
  EXPECT_LT(fast, plain / 2);
  EXPECT_LT(small, plain / 2);
  EXPECT_EQ(Must(log_->Info(Id("a"))).bytes, Must(log_->Info(Id("b"))).bytes);
  EXPECT_EQ(Must(log_->Info(Id("a"))).bytes, Must(log_->Info(Id("c"))).bytes);
}

TEST_F(CompressionTest, TheSettingIsOfTheStoreAndShown) {
  Set(Compression::kSmall);
  EXPECT_EQ(Must(log_->Stats()).compression, "small");
  Reopen();
  EXPECT_EQ(Must(log_->Stats()).compression, "small");
  Must(Append("a", Say(Text(1)), {}));
  EXPECT_THAT(CompressedPayloads(), SizeIs(1));
  Set(Compression::kNone);
  Reopen();
  Must(Append("a", Say(Text(2)), {}));
  EXPECT_THAT(CompressedPayloads(), SizeIs(1));
  EXPECT_EQ(Must(log_->Stats()).compression, "none");
}

TEST_F(CompressionTest, AWriterMayHaveItsOwn) {
  Set(Compression::kNone);
  Close();
  {
    SegmentOptions options = Options(OpenMode::kWrite);
    options.compression = Compression::kFast;
    Must(Must(OpenSegmentLog(path(), options))->Append(Id("a"), Say(Text(1))));
  }
  EXPECT_THAT(CompressedPayloads(), SizeIs(1));
  Open();
  EXPECT_EQ(Must(log_->Stats()).compression, "none");
}

TEST_F(CompressionTest, OnlyAWriterOfAFolderHasASetting) {
  Close();
  const auto reader = Must(OpenSegmentLog(path(), Options(OpenMode::kRead)));
  EXPECT_EQ(CodeOf(SetCompression(*reader, Compression::kFast)), "read only");
}

TEST_F(CompressionTest, ErasedBytesAreGoneInEveryForm) {
  for (const Compression compression : {Compression::kFast, Compression::kSmall}) {
    Set(compression);
    const std::string name = fmt::format("conversation {}", ToString(compression));
    Must(Append(name, {Say(Text(1)), Say(Secret(2)), Say(Text(3))}, {}));
    const auto stored = CompressedPayloads();
    const std::uint64_t bytes = Must(log_->Info(Id(name))).bytes;
    const auto seqs = std::vector<Seq>{{2}};
    EXPECT_GT(Must(log_->Erase(Id(name), seqs)).bytes, 500U);
    ExpectGone(stored[stored.size() - 2]);
    EXPECT_EQ(Must(log_->Info(Id(name))).bytes, bytes);
    ExpectClean();
    ExpectSameAnswersAfterwards();
    EXPECT_EQ(Must(log_->Info(Id(name))).bytes, bytes);
    EXPECT_THAT(Lines(*log_, name), ElementsAre(HasSubstr("of 1;"), "2 0 erased chat_request", HasSubstr("of 3;")));
  }
}

TEST_F(CompressionTest, RedactedBytesAreGoneInEveryForm) {
  for (const Compression compression : {Compression::kFast, Compression::kSmall}) {
    Set(compression);
    const std::string name = fmt::format("conversation {}", ToString(compression));
    Must(Append(name, {Say(Text(1)), Say(Secret(2)), Say(Text(3))}, {}));
    const auto stored = CompressedPayloads();
    Must(Redact(name, {{2, Say("[redacted] " + Secret(4))}}));
    ExpectGone(stored[stored.size() - 2]);
    const auto again = CompressedPayloads();
    Must(Redact(name, {{2, Say("[redacted]")}}));  // the first replacement goes too
    ExpectGone(again[again.size() - 2]);
    ExpectClean();
    ExpectSameAnswersAfterwards();
    EXPECT_EQ(Lines(*log_, name)[1], "2 0 [redacted]");
  }
}

// A short payload has room for its tombstone, with every field and the address of a replacement.
TEST_F(CompressionTest, TheShortestEventsCanBeRedacted) {
  for (const Compression compression : {Compression::kFast, Compression::kSmall}) {
    Set(compression);
    const std::string name = fmt::format("conversation {}", ToString(compression));
    std::vector<Event> events{Say(""), Say(std::string(200, 'a')), NewTurn(), Ask(Opaque(std::string(200, 'i'))),
                              Answer(Opaque(std::string(200, 'i')))};
    for (std::size_t i = 0; i < events.size(); ++i) {
      events[i].event_id = fmt::format("{} {}", ToString(compression), i) + std::string(200, 'e');
      events[i].timestamp = Timestamp{1};
    }
    Must(Append(name, events, {}));
    for (const std::uint64_t seq : std::vector<std::uint64_t>{1, 2, 4, 5}) Must(Redact(name, {{seq, events[seq - 1]}}));
    const auto seqs = std::vector<Seq>{{1}, {2}, {4}, {5}};
    Must(log_->Erase(Id(name), seqs));
    ExpectClean();
    ExpectSameAnswersAfterwards();
  }
}

TEST_F(CompressionTest, ASearchOfTheStorageFindsWhatIsCompressed) {
  Set(Compression::kSmall);
  Must(Append("a", Say(Text(7)), {}));
  EXPECT_THAT(FilesWith(Text(7)), IsEmpty());
  EXPECT_THAT(StoredWith(Text(7)), ElementsAre(HasSubstr("log/0000000000000000.seg at byte ")));
  Must(Redact("a", {{1, Say(Text(8))}}));
  EXPECT_THAT(StoredWith(Text(7)), IsEmpty());
  EXPECT_THAT(StoredWith(Text(8)), SizeIs(1));
  Must(Redact("a", {{1, Say(Text(9))}}));
  EXPECT_THAT(StoredWith(Text(8)), IsEmpty());
}

// What is in a damaged compressed record cannot be searched: the search says so.
TEST_F(CompressionTest, ASearchOfTheStorageNamesDamagedCompressedRecords) {
  Set(Compression::kSmall);
  Must(Append("a", Say(Text(7)), {}));
  Must(Append("a", Say(Text(8)), {}));
  FlipIn(CompressedPayloads().front());
  StoredText search(Text(8));
  Must(log_->VisitStorage({.overlap = 1000, .progress = {}}, search));
  EXPECT_THAT(search.unreadable, ElementsAre(HasSubstr("log/0000000000000000.seg at byte ")));
  EXPECT_THAT(search.found, SizeIs(1));
}

}  // namespace
}  // namespace turnlog::compression_test
