// A search of everything that is stored misses nothing without reporting it.
#include "store/engine/storage_walk.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <utility>

#include "tests/support/temp_dir.h"

namespace turnlog::storage_walk_test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr std::size_t kPiece = std::size_t{4} << 20;

// Joins the pieces and checks their overlap.
class Collector : public StorageVisitor {
 public:
  explicit Collector(std::size_t overlap) : overlap_(overlap) {}

  void OnPiece(const StoragePiece& piece) override {
    if (piece.offset == 0) objects.erase(std::string(piece.object));  // read again
    std::string& bytes = objects[std::string(piece.object)];
    const std::uint64_t known = bytes.size();
    EXPECT_TRUE(piece.offset == 0 || piece.offset + overlap_ <= known);
    EXPECT_EQ(bytes.substr(piece.offset), piece.bytes.substr(0, known - piece.offset));
    bytes.append(piece.bytes.substr(known - piece.offset));
    if (piece.last) ++ended;
  }
  void OnEntry(std::string_view, std::string_view, std::string_view) override { FAIL(); }
  void OnUnreadable(std::string_view object, std::string_view reason) override { unreadable.emplace(object, reason); }

  std::map<std::string, std::string> objects, unreadable;
  int ended = 0;

 private:
  const std::size_t overlap_;
};

// Calls a function before each file is opened, and another one before each read.
class WatchedFiles : public FileSystem {
 public:
  std::function<Status(const fs::path&)> before_open, before_read;

  Result<std::unique_ptr<File>> Open(const fs::path& path, Access access) override {
    if (before_open) {
      if (Status status = before_open(path); !status) return std::unexpected(std::move(status).error());
    }
    auto file = PosixFileSystem().Open(path, access);
    if (!file) return file;
    return std::make_unique<WatchedFile>(*this, path, *std::move(file));
  }
  Status Rename(const fs::path& from, const fs::path& to) override { return PosixFileSystem().Rename(from, to); }
  Status Remove(const fs::path& path) override { return PosixFileSystem().Remove(path); }
  Status CreateDirectory(const fs::path& path) override { return PosixFileSystem().CreateDirectory(path); }
  Status SyncDirectory(const fs::path& path) override { return PosixFileSystem().SyncDirectory(path); }
  Result<std::vector<std::string>> List(const fs::path& path) override { return PosixFileSystem().List(path); }
  Result<FileKind> KindOf(const fs::path& path) override { return PosixFileSystem().KindOf(path); }
  Result<std::unique_ptr<FileLock>> Lock(const fs::path& path) override { return PosixFileSystem().Lock(path); }

 private:
  class WatchedFile : public File {
   public:
    WatchedFile(WatchedFiles& files, fs::path path, std::unique_ptr<File> file)
        : files_(files), path_(std::move(path)), file_(std::move(file)) {}
    Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override {
      if (files_.before_read) {
        if (Status status = files_.before_read(path_); !status) return std::unexpected(std::move(status).error());
      }
      return file_->ReadAt(offset, out);
    }
    Status WriteAt(std::uint64_t offset, std::string_view data) override { return file_->WriteAt(offset, data); }
    Status Sync() override { return file_->Sync(); }
    Status Allocate(std::uint64_t size) override { return file_->Allocate(size); }
    Status Truncate(std::uint64_t size) override { return file_->Truncate(size); }
    Result<std::uint64_t> Size() override { return file_->Size(); }

   private:
    WatchedFiles& files_;
    const fs::path path_;
    const std::unique_ptr<File> file_;
  };
};

void Write(const fs::path& path, std::string_view bytes, std::ios::openmode mode = std::ios::trunc) {
  std::ofstream(path, std::ios::binary | std::ios::out | mode) << bytes;
}

std::string Letters(std::size_t size) {
  std::string bytes(size, 'x');
  for (std::size_t i = 0; i < size; i += 997) bytes[i] = static_cast<char>('a' + i % 23);
  return bytes;
}

class StorageWalkTest : public testing::Test {
 protected:
  static constexpr std::size_t kOverlap = 1'000;

  StorageWalkTest() {
    fs::create_directories(root_ / "log");
    Write(root_ / "STORE", "identity");
    Write(root_ / "log" / "empty", "");
  }

  Collector Visit() {
    Collector collector(kOverlap);
    VisitFiles(root_, files_, {.overlap = kOverlap, .progress = {}}, collector);
    return collector;
  }

  TempDir folder_;
  const fs::path root_ = folder_ / "store";
  WatchedFiles files_;
};

TEST_F(StorageWalkTest, ShowsAllBytesOfAllFiles) {
  const std::string large = Letters(3 * kPiece + 17), exact = Letters(kPiece + kOverlap);
  Write(root_ / "log" / "large", large);
  Write(root_ / "log" / "exact", exact);
  const Collector seen = Visit();
  EXPECT_THAT(seen.objects, ElementsAre(Pair("STORE", "identity"), Pair("log/empty", ""), Pair("log/exact", exact),
                                        Pair("log/large", large)));
  EXPECT_EQ(seen.ended, 4);
  EXPECT_THAT(seen.unreadable, IsEmpty());
}

TEST_F(StorageWalkTest, NamesWhatIsNoFileOrFolder) {
  fs::create_directory(folder_ / "elsewhere");
  Write(folder_ / "elsewhere" / "file", "secret");
  fs::create_directory_symlink(folder_ / "elsewhere", root_ / "index");
  fs::create_symlink(folder_ / "elsewhere" / "file", root_ / "log" / "link");
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  const Collector seen = Visit();
  EXPECT_THAT(seen.objects, SizeIs(2));
  EXPECT_THAT(seen.unreadable, ElementsAre(Pair("index", HasSubstr("link")), Pair("log/link", HasSubstr("link")),
                                           Pair("pipe", HasSubstr("neither"))));
}

TEST_F(StorageWalkTest, NamesAFileThatCannotBeOpenedOrRead) {
  const auto fails_at = [](std::string_view name) {
    return [name](const fs::path& path) -> Status {
      if (path.filename() != name) return {};
      return std::unexpected(Error{ErrorCode::kIo, "bad sector"});
    };
  };
  files_.before_open = fails_at("STORE");
  EXPECT_THAT(Visit().unreadable, ElementsAre(Pair("STORE", "bad sector")));
  files_.before_open = {};
  files_.before_read = fails_at("empty");
  EXPECT_THAT(Visit().unreadable, ElementsAre(Pair("log/empty", "bad sector")));
}

TEST_F(StorageWalkTest, NamesARootThatIsNotThere) {
  fs::remove_all(root_);
  EXPECT_THAT(Visit().unreadable, SizeIs(1));
}

TEST_F(StorageWalkTest, PassesOverAFileThatIsRemovedMeanwhile) {
  files_.before_open = [&](const fs::path& path) -> Status {
    if (path.filename() == "empty") fs::remove(path);
    return {};
  };
  const Collector seen = Visit();
  EXPECT_THAT(seen.objects, ElementsAre(Pair("STORE", "identity")));
  EXPECT_THAT(seen.unreadable, IsEmpty());
}

TEST_F(StorageWalkTest, ShowsFilesThatAppearMeanwhile) {
  files_.before_open = [&](const fs::path& path) -> Status {
    if (path.filename() == "empty") Write(root_ / "LATE", "late");
    return {};
  };
  const Collector seen = Visit();
  EXPECT_EQ(seen.objects.at("LATE"), "late");
  EXPECT_THAT(seen.unreadable, IsEmpty());
}

TEST_F(StorageWalkTest, GivesUpWhenFilesAppearForever) {
  int files = 0;
  files_.before_open = [&](const fs::path&) -> Status {
    return Write(root_ / fmt::format("{}", ++files), "x"), Status();
  };
  const Collector seen = Visit();
  EXPECT_THAT(seen.unreadable, testing::Not(IsEmpty()));
}

TEST_F(StorageWalkTest, GivingUpItStillNamesEverythingElse) {
  int files = 0;
  files_.before_open = [&](const fs::path&) -> Status {
    if (files == 0) fs::create_symlink("/", root_ / "link");
    return Write(root_ / fmt::format("{}", ++files), "x"), Status();
  };
  EXPECT_THAT(Visit().unreadable, Contains(Pair("link", HasSubstr("link"))));
}

TEST_F(StorageWalkTest, ReadsAFileThatGetsTheNameOfOneThatWasRead) {
  Write(root_ / "a", "first");
  Write(root_ / "z", "other");
  files_.before_open = [&](const fs::path& path) -> Status {
    if (path.filename() == "empty") fs::rename(root_ / "z", root_ / "a");
    return {};
  };
  const Collector seen = Visit();
  EXPECT_EQ(seen.objects.at("a"), "other");
  EXPECT_THAT(seen.unreadable, IsEmpty());
}

TEST_F(StorageWalkTest, ReadsAFileThatGrowsToItsEnd) {
  const fs::path path = root_ / "grows";
  Write(path, Letters(2 * kPiece));
  int reads = 0;
  files_.before_read = [&](const fs::path& read) -> Status {
    if (read == path && ++reads == 1) Write(path, Letters(2 * kPiece), std::ios::app);
    return {};
  };
  const Collector seen = Visit();
  EXPECT_EQ(seen.objects.at("grows").size(), 4 * kPiece);
  EXPECT_THAT(seen.unreadable, IsEmpty());
}

TEST_F(StorageWalkTest, GivesUpOnAFileThatGrowsForever) {
  const fs::path path = root_ / "grows";
  Write(path, Letters(kPiece));
  files_.before_read = [&](const fs::path& read) -> Status {
    if (read == path) Write(path, Letters(2 * kPiece), std::ios::app);
    return {};
  };
  EXPECT_THAT(Visit().unreadable, ElementsAre(Pair("grows", HasSubstr("grows"))));
}

}  // namespace
}  // namespace turnlog::storage_walk_test
