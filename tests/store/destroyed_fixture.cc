#include "tests/store/destroyed_fixture.h"

#include <fstream>
#include <iterator>

#include "tests/store/answers.h"

namespace turnlog {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<std::string> DestroyedFilesTest::FilesWith(std::string_view text) const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path())) {
    if (!entry.is_regular_file()) continue;
    if (ReadFile(entry.path()).find(text) != std::string::npos) names.push_back(entry.path().filename().string());
  }
  return names;
}

void DestroyedFilesTest::FlipIn(std::string_view text) const {
  for (const auto& entry : std::filesystem::directory_iterator(path() / "log")) {
    const std::string bytes = ReadFile(entry.path());
    const std::size_t at = bytes.find(text);
    if (at == std::string::npos) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(bytes[at] ^ 1));
    return;
  }
  ADD_FAILURE() << "the log does not contain this text";
}

VerifyReport DestroyedFilesTest::ExpectClean() const {
  VerifyReport report = Must(VerifyStore(path()));
  for (const Damage& damage : report.damage) ADD_FAILURE() << ToString(damage);
  for (const std::string& difference : report.index_differences) ADD_FAILURE() << difference;
  return report;
}

void DestroyedFilesTest::ExpectSameAnswersAfterwards() {
  const std::vector<std::string> answers = AnswersOf(*log_);
  Must(log_->Checkpoint());
  EXPECT_EQ(AnswersOf(*log_), answers);
  ReopenAfterCrash();
  EXPECT_EQ(AnswersOf(*log_), answers);
  Reopen();
  EXPECT_EQ(AnswersOf(*log_), answers);
  Close();
  ExpectClean();
  std::filesystem::remove_all(path() / "index");
  Open(OpenMode::kRead);
  EXPECT_EQ(AnswersOf(*log_), answers);
  Close();
  std::filesystem::create_directory(path() / "index");
  Open(OpenMode::kWrite);
  EXPECT_EQ(AnswersOf(*log_), answers);
  Reopen();
  ExpectClean();
}

}  // namespace turnlog
