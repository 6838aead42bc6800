// Every command on a disk that is full, or becomes full on the way, or where files may not grow: it ends with an
// error, never by a signal, and when there is room again the store is sound and has what it had.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "tests/logctl/logctl_test.h"
#include "tests/support/effort.h"

namespace turnlog::full_disk_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Command {
  std::string name;
  Strings words;
  std::string input;
};

void PrintTo(const Command& command, std::ostream* out) { *out << command.name; }

std::string MuchInput() {
  std::string lines;
  for (int i = 0; i < 400; ++i) lines += SampleLines();  // more than a segment holds
  return lines;
}

const std::vector<Command> kCommands{
    {"append", {"append", "more"}, MuchInput()},
    {"sanitize", {"sanitize", "--close-open"}, {}},
    {"scavenge", {"scavenge"}, {}},
    {"redact", {"redact", "--values-stdin"}, "Please write a.txt\n"},
    {"reindex", {"reindex"}, {}},
    {"verify", {"verify"}, {}},
    {"ls", {"ls"}, {}},
};

// A file system of this process' own, gone with it.
class SmallDisk {
 public:
  explicit SmallDisk(const fs::path& at) : at_(at) {
    fs::create_directory(at);
    mounted_ = ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               ::mount("tmpfs", at.c_str(), "tmpfs", 0, "size=16m,mode=700") == 0;
  }
  ~SmallDisk() {
    if (mounted_) (void)::umount2(at_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }

  // Takes all of it but `bytes`.
  void LeaveRoom(std::uint64_t bytes) {
    const int fd = ::open((at_ / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::uint64_t there = fs::space(at_).available;
    EXPECT_EQ(there <= bytes ? 0 : ::posix_fallocate(fd, 0, static_cast<off_t>(there - bytes)), 0);
    ::close(fd);
  }
  void MakeRoom() { fs::remove(at_ / "filler"); }

 private:
  const fs::path at_;
  bool mounted_ = false;
};

// Some of the sizes: the next command tries the next ones.
std::vector<std::uint64_t> Sample(const std::vector<std::uint64_t>& sizes) {
  static std::size_t next = 0;
  const std::size_t step = SampleStep(3);
  std::vector<std::uint64_t> sample;
  for (std::size_t i = next++ % step; i < sizes.size(); i += step) sample.push_back(sizes[i]);
  return sample;
}

class FullDiskTest : public LogctlTest, public testing::WithParamInterface<Command> {
 protected:
  void SetUp() override { AppendSample(); }

  void CopyTo(const fs::path& copy) {
    fs::remove_all(copy);
    fs::copy(store(), copy, fs::copy_options::recursive);
  }

  static Ran RunOn(const fs::path& copy, const Strings& words, const std::string& input = {},
                   const Strings& environment = {}) {
    Strings all{"--store", copy.string()};
    all.insert(all.end(), words.begin(), words.end());
    return RunProgram(all, input, environment);
  }

  // The command of this test, while something is short. Temporary files are short of it, too.
  static int Run(const fs::path& copy, bool without_index) {
    if (without_index) fs::remove_all(copy / "index");
    const Ran ran =
        RunOn(copy, GetParam().words, GetParam().input, {"TMPDIR=" + copy.parent_path().string(), "PATH=/bin"});
    EXPECT_LT(ran.exit_code, 128) << ran.err;
    EXPECT_TRUE(ran.exit_code == 0 || !ran.err.empty() || !ran.out.empty()) << "it failed without a word";
    return ran.exit_code;
  }

  void ExpectSound(const fs::path& copy) {
    const Ran verified = RunOn(copy, {"verify", "--json"});
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
    const Ran appended = RunOn(copy, {"append", "last"}, "{\"type\":\"turn_start\"}\n");
    EXPECT_EQ(appended.exit_code, 0) << appended.err;
    const Ran listed = RunOn(copy, {"ls"});
    EXPECT_THAT(listed.out, testing::AllOf(HasSubstr("sample"), HasSubstr("last")));
    EXPECT_EQ(listed.err, "");
  }
};

TEST_P(FullDiskTest, EndsWithAnErrorWhateverRoomIsLeft) {
  SmallDisk disk(folder_ / "disk");
  if (!disk.mounted())
    GTEST_SKIP() << "only root may mount a file system; the next test covers the same errors with file size limits";
  int failures = 0;
  for (const bool without_index : {false, true}) {
    for (const std::uint64_t pages : Sample({0, 1, 2, 3, 5, 8, 13, 30, 100, 300, 600})) {
      SCOPED_TRACE(std::to_string(pages) + (without_index ? " pages, no index" : " pages"));
      CopyTo(folder_ / "disk/store");
      disk.LeaveRoom(pages * 4096);
      failures += Run(folder_ / "disk/store", without_index) == 0 ? 0 : 1;
      disk.MakeRoom();
      ExpectSound(folder_ / "disk/store");
      if (HasFailure()) return;
    }
  }
  if (GetParam().name != "ls") {
    EXPECT_GT(failures, 0) << "the disk was never full: the test does not test";
  }
}

// Files that must not grow beyond some size, as a quota would have it.
TEST_P(FullDiskTest, EndsWithAnErrorWhateverSizeFilesMayHave) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  for (const bool without_index : {false, true}) {
    for (const rlim_t most : Sample({0, 1, 100, 1'000, 5'000, 20'000, 100'000, 1'000'000})) {
      SCOPED_TRACE(std::to_string(most) + (without_index ? " bytes, no index" : " bytes"));
      CopyTo(folder_ / "copy");
      const rlimit limited{most, before.rlim_max};
      ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limited), 0);
      (void)Run(folder_ / "copy", without_index);
      ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
      ExpectSound(folder_ / "copy");
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Commands, FullDiskTest, testing::ValuesIn(kCommands),
                         [](const auto& command) { return command.param.name; });

}  // namespace
}  // namespace turnlog::full_disk_test
