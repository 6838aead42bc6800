// Replacing a file that others may append to: nothing that they append is lost, wherever either process stops.
#include "doctor/replace_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/doctor/session_files.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"
#include "tests/support/temp_dir.h"

namespace turnlog::replace_file_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kOld = "one\ntwo\n", kNew = "one\nTWO\n";

void AppendTo(int fd, std::string_view text) {
  ASSERT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

int OpenToAppend(const fs::path& path) { return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); }

void Append(const fs::path& path, std::string_view text) {
  const int fd = OpenToAppend(path);
  ASSERT_GE(fd, 0);
  AppendTo(fd, text);
  ::close(fd);
}

class ReplaceFileTest : public testing::Test {
 protected:
  ReplaceFileTest() { WriteText(path_, kOld); }

  ReplaceRequest Request(OnStep on_step = {}) const {
    ReplaceRequest request{.path = path_, .patience = std::chrono::milliseconds(0)};
    EXPECT_EQ(::lstat(path_.c_str(), &request.seen), 0);
    request.contents = [](const WriteBytes& write) { return write(kNew); };
    request.on_step = std::move(on_step);
    return request;
  }

  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) names.insert(entry.path().filename());
    return names;
  }

  TempDir folder_;
  const fs::path path_ = folder_ / "a.jsonl";
};

// Calls `act` in a process of its own. Returns the signal that ended it, or 0.
template <class Act>
int InProcess(Act&& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    act();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_F(ReplaceFileTest, ReplacesAndKeepsTheOldFile) {
  fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write);
  const auto time = fs::last_write_time(path_) - std::chrono::hours(1);
  fs::last_write_time(path_, time);
  const ReplaceOutcome outcome = Must(ReplaceFile(Request()));
  EXPECT_EQ(CodeOf(outcome.problem), "fine");
  EXPECT_EQ(TextOf(path_), kNew);
  EXPECT_EQ(outcome.backup, folder_ / "a.jsonl.8.before-doctor");
  EXPECT_EQ(TextOf(outcome.backup), kOld);
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::last_write_time(path_), time);
  EXPECT_EQ(Names().size(), 2U);
}

TEST_F(ReplaceFileTest, KeepsNoBackupIfNoneIsWanted) {
  ReplaceRequest request = Request();
  request.keep_backup = false;
  EXPECT_THAT(Must(ReplaceFile(request)).backup.string(), IsEmpty());
  EXPECT_THAT(Names(), testing::ElementsAre("a.jsonl"));
}

TEST_F(ReplaceFileTest, KeepsTheBackupsOfEarlierReplacements) {
  (void)Must(ReplaceFile(Request()));
  (void)Must(ReplaceFile(Request()));
  EXPECT_THAT(Names(), testing::ElementsAre("a.jsonl", "a.jsonl.8.2.before-doctor", "a.jsonl.8.before-doctor"));
  EXPECT_EQ(Must(CarryOver(path_, {})), 0U);
}

TEST_F(ReplaceFileTest, DoesNotTouchAFileThatAnotherProcessHasOpen) {
  int opened[2] = {}, done[2] = {};
  ASSERT_EQ(::pipe(opened), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const int fd = OpenToAppend(path_);
    char byte = 0;
    if (::write(opened[1], &byte, 1) != 1 || ::read(done[0], &byte, 1) != 1) ::_exit(1);
    ::close(fd);
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(opened[0], &byte, 1), 1);
  const auto refused = ReplaceFile(Request());
  EXPECT_EQ(CodeOf(refused), "busy");
  EXPECT_THAT(refused.error().message, HasSubstr(std::to_string(child)));
  EXPECT_EQ(TextOf(path_), kOld);
  EXPECT_THAT(Names(), testing::ElementsAre("a.jsonl"));
  ASSERT_EQ(::write(done[1], &byte, 1), 1);
  ::waitpid(child, nullptr, 0);
  for (const int fd : {opened[0], opened[1], done[0], done[1]}) ::close(fd);
}

TEST_F(ReplaceFileTest, DoesNotTouchAFileThatWasJustWritten) {
  ReplaceRequest request = Request();
  request.idle_seconds = 3600;
  EXPECT_EQ(CodeOf(ReplaceFile(request)), "busy");
  EXPECT_EQ(TextOf(path_), kOld);
}

TEST_F(ReplaceFileTest, DoesNotTouchAFileThatGrowsBeforeItIsReplaced) {
  for (const std::string_view at : {"open", "write", "backup", "check"}) {
    WriteText(path_, kOld);
    const auto refused = ReplaceFile(Request([&](std::string_view step) {
      if (step == at) Append(path_, "three\n");
    }));
    EXPECT_EQ(CodeOf(refused), "busy") << at;
    EXPECT_EQ(TextOf(path_), std::string(kOld) + "three\n") << at;
    EXPECT_THAT(Names(), testing::ElementsAre("a.jsonl")) << at;
  }
}

// A file that the user has named is read when its format is recognised; here it is a record longer when it is examined.
TEST_F(ReplaceFileTest, ReplacesWhatTheFileHasWhenItIsExamined) {
  WriteText(path_, OrphanedCall());
  const std::string_view record = "{\"type\":\"ai-title\",\"aiTitle\":\"T\"}\n";
  const SessionReport report =
      Examine(path_, {.action = DoctorAction::kReplace, .idle_seconds = 0, .on_step = [&](std::string_view step) {
                        if (step == "examine") Append(path_, record);
                      }});
  EXPECT_EQ(report.written, path_);
  EXPECT_EQ(report.size, OrphanedCall().size() + record.size());
  EXPECT_TRUE(TextOf(path_).ends_with(record));
}

TEST_F(ReplaceFileTest, CarriesOverWhatIsAppendedThroughADescriptorThatWasKept) {
  for (const std::string_view at : {"rename", "replaced"}) {
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove(entry.path());
    WriteText(path_, kOld);
    const int fd = OpenToAppend(path_);
    const ReplaceOutcome outcome = Must(ReplaceFile(Request([&](std::string_view step) {
      if (step == at) AppendTo(fd, "three\n");
    })));
    EXPECT_EQ(outcome.carried_over, 6U);
    EXPECT_EQ(TextOf(path_), std::string(kNew) + "three\n") << at;
    AppendTo(fd, "four\n");  // after everything
    EXPECT_EQ(CountLateBytes(path_), 5U);
    EXPECT_EQ(Must(CarryOver(path_, {})), 5U);
    EXPECT_EQ(TextOf(path_), std::string(kNew) + "three\nfour\n") << at;
    EXPECT_EQ(Must(CarryOver(path_, {})), 0U);
    ::close(fd);
  }
}

// A document with something after it is none.
TEST_F(ReplaceFileTest, AppendsNothingToADocument) {
  const fs::path document = folder_ / "chats.json";
  WriteText(document, "{\"a\":1}");
  const int fd = OpenToAppend(document);
  ReplaceRequest request = Request([&](std::string_view step) {
    if (step == "replaced") AppendTo(fd, "{}");
  });
  request.path = document;
  ASSERT_EQ(::lstat(document.c_str(), &request.seen), 0);
  request.keep_backup = false;
  request.contents = [](const WriteBytes& write) { return write("{\"b\":2}"); };
  const ReplaceOutcome outcome = Must(ReplaceFile(request));
  ::close(fd);
  EXPECT_EQ(TextOf(document), "{\"b\":2}");
  EXPECT_EQ(CodeOf(outcome.problem), "busy");
  EXPECT_EQ(outcome.carried_over, 0U);
  EXPECT_EQ(TextOf(outcome.backup), "{\"a\":1}{}");
  EXPECT_EQ(Must(CarryOver(document, {})), 0U);
  EXPECT_EQ(CountLateBytes(document), 2U);
}

TEST_F(ReplaceFileTest, ReportsWhatWasAppendedToTheBackupOfADocument) {
  const fs::path document = folder_ / "a.json";
  fs::copy_file(DamagedSessions() / "anthropic/orphaned-call.json", document);
  const std::string before = TextOf(document);
  const int fd = OpenToAppend(document);
  for (const bool again : {false, true}) {
    const SessionReport report =
        Examine(document, {.action = DoctorAction::kReplace, .idle_seconds = 0, .on_step = [&](std::string_view step) {
                             if (step == "replaced") AppendTo(fd, "late");
                           }});
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(report.findings.back().rule, "late-append") << again;
    EXPECT_FALSE(report.findings.back().mended);
    EXPECT_FALSE(TextOf(document).contains("late"));
    EXPECT_EQ(TextOf(folder_ / ("a.json." + std::to_string(before.size()) + ".before-doctor")), before + "late");
  }
  ::close(fd);
}

TEST_F(ReplaceFileTest, CarriesOverTheWholeLineOfARecordThatWasNotComplete) {
  WriteText(path_, "one\ntw");
  const int fd = OpenToAppend(path_);
  (void)Must(ReplaceFile(Request([&](std::string_view step) {
    if (step == "replaced") AppendTo(fd, "o\nthree\n");
  })));
  EXPECT_EQ(TextOf(path_), std::string(kNew) + "two\nthree\n");
  ::close(fd);
}

// The process is killed before each of its steps, while another one appends to the old file late.
TEST_F(ReplaceFileTest, AKillAtAnyStepLosesNothing) {
  std::vector<std::string> steps;
  const int counted = OpenToAppend(path_);
  const auto append_late = [](int fd, std::string_view step) {
    if (step == "replaced") AppendTo(fd, "late\n");
  };
  (void)Must(ReplaceFile(Request([&](std::string_view step) {
    steps.emplace_back(step);
    append_late(counted, step);
  })));
  ::close(counted);
  EXPECT_THAT(steps, testing::ElementsAre("open", "write", "backup", "check", "rename", "replaced", "carry", "carried",
                                          "finish"));
  for (const std::string& last : steps) {
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove(entry.path());
    WriteText(path_, kOld);
    const int signal = InProcess([&] {
      const int fd = OpenToAppend(path_);
      (void)ReplaceFile(Request([&](std::string_view step) {
        append_late(fd, step);
        if (step == last) ::raise(SIGKILL);
      }));
    });
    ASSERT_EQ(signal, SIGKILL) << last;
    const bool replaced = TextOf(path_).starts_with(kNew);
    EXPECT_TRUE(replaced || TextOf(path_) == kOld) << last;
    (void)Must(CarryOver(path_, {}));
    if (replaced) {
      EXPECT_EQ(TextOf(path_), std::string(kNew) + "late\n") << last;
    } else {
      EXPECT_EQ(CodeOf(Must(ReplaceFile(Request())).problem), "fine") << last;
      EXPECT_EQ(TextOf(path_), kNew) << last;
    }
    EXPECT_FALSE(Names().contains(".a.jsonl.new")) << last;
  }
}

// The same for the whole run, which the next one completes.
TEST_F(ReplaceFileTest, AKillAtAnyStepOfARunIsCompletedByTheNext) {
  const DoctorOptions options{.action = DoctorAction::kReplace, .idle_seconds = 0, .jobs = 1};
  const auto run = [&](int last) {
    int step = 0;
    DoctorOptions killed = options;
    killed.on_step = [&](std::string_view) {
      if (step++ == last) ::raise(SIGKILL);
    };
    return InProcess([&] { (void)Examine(path_, killed); });
  };
  int last = 0;
  for (int signal = SIGKILL; signal == SIGKILL; ++last) {
    SCOPED_TRACE(last);
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove(entry.path());
    WriteText(path_, OrphanedCall());
    signal = run(last);
    const std::string now = TextOf(path_);
    EXPECT_TRUE(now == OrphanedCall() || now.contains("tool_result"));
    (void)Examine(path_, options);
    EXPECT_TRUE(TextOf(path_).contains("tool_result"));
    EXPECT_THAT(Names(), testing::ElementsAre("a.jsonl", testing::HasSubstr(".before-doctor")));
    const SessionReport check = Examine(path_, {.idle_seconds = 0, .jobs = 1});
    EXPECT_THAT(check.findings, IsEmpty());
  }
  EXPECT_GE(last, 9);
}

// Another process, which appends a line for each byte that it reads from a pipe.
class Appender {
 public:
  enum class Way : std::uint8_t { kKeep, kKeepFromFirst, kOpenForEach };  // how it uses the file

  Appender(const fs::path& path, Way way) {
    int ends[2] = {};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::close(ends[1]);
      ::_exit(Append(path, way, ends[0]) ? 0 : 1);
    }
    ::close(ends[0]);
    orders_ = ends[1];
  }
  ~Appender() { EXPECT_EQ(Finish(), 0); }
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  void Order() const {
    const char byte = 0;
    EXPECT_EQ(::write(orders_, &byte, 1), 1);
  }

  int Finish() {
    if (orders_ < 0) return 0;
    ::close(std::exchange(orders_, -1));
    int status = 0;
    ::waitpid(process_, &status, 0);
    return status;
  }

 private:
  static bool Append(const fs::path& path, Way way, int orders) {
    int fd = way == Way::kKeep ? OpenToAppend(path) : -1;
    char byte = 0;
    for (int i = 0; ::read(orders, &byte, 1) == 1; ++i) {
      if (fd < 0) fd = OpenToAppend(path);
      const std::string line = "line " + std::to_string(i) + "\n";
      if (::write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size())) return false;
      if (way == Way::kOpenForEach) ::close(std::exchange(fd, -1));
    }
    return true;
  }

  pid_t process_ = -1;
  int orders_ = -1;
};

// The appending process is told to append when the replacement comes to each of its steps from the n-th on, and does so
// at any time after that: the scheduler decides.
TEST_F(ReplaceFileTest, ManyRunsBesideAProcessThatAppendsLoseNothing) {
  constexpr int kRuns = kSanitized ? 36 : 500, kSteps = 9;
  int replaced = 0;
  std::uint64_t carried = 0;
  for (int run = 0; run < kRuns; ++run) {
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove(entry.path());
    WriteText(path_, kOld);
    Appender appender(path_, static_cast<Appender::Way>(run % 3));
    int step = 0, lines = 0;
    const auto outcome = ReplaceFile(Request([&](std::string_view) {
      if (step++ < run % kSteps) return;
      appender.Order();
      ++lines;
    }));
    ASSERT_EQ(appender.Finish(), 0);
    ASSERT_THAT(CodeOf(outcome), testing::AnyOf("fine", "busy"));
    replaced += outcome ? 1 : 0;
    carried += (outcome ? outcome->carried_over : 0) + Must(CarryOver(path_, {}));
    const std::string text = TextOf(path_);
    ASSERT_EQ(std::ranges::count(text, '\n'), 2 + lines) << text;
    for (int i = 0; i < lines; ++i) ASSERT_THAT(text, HasSubstr("line " + std::to_string(i) + "\n"));
  }
  EXPECT_GT(replaced, 0);
  std::cout << replaced << " replacements, " << carried << " bytes carried over\n";
}

}  // namespace
}  // namespace turnlog::replace_file_test
