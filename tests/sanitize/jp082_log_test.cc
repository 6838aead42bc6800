// jp's own results, as a user gets them: import, sanitize, export.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/sanitize/jp082_expected.h"
#include "tests/sanitize/sanitize_fixture.h"
#include "tests/support/shared_data.h"
#include "turnlog/migrate/export.h"
#include "turnlog/migrate/import.h"
#include "turnlog/open_log.h"

namespace turnlog::jp082_log_test {
namespace {

using Vectors = std::map<std::string, JpVector>;  // by the conversation's id

std::string ReadText(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

class Jp082LogTest : public testing::Test {
 protected:
  void Check(const std::filesystem::path& file, std::size_t count) {
    Vectors once = Select(file, "sanitize");
    Vectors twice = Select(file, "twice");
    EXPECT_EQ(once.size() + twice.size(), count);
    Write(once, dir_ / "once");
    Sanitize(dir_ / "once", dir_ / "once-out", once);
    Expect(dir_ / "once-out", once);
    Write(twice, dir_ / "twice");
    Sanitize(dir_ / "twice", dir_ / "twice-half", twice);
    Sanitize(dir_ / "twice-half", dir_ / "twice-out", twice);
    Expect(dir_ / "twice-out", twice);
  }

 private:
  static Vectors Select(const std::filesystem::path& file, std::string_view mode) {
    Vectors selected;
    for (JpVector& vector : ReadJpVectors(file)) {
      if (vector.mode == mode) selected.emplace(std::to_string(17'000'000'000 + selected.size()), std::move(vector));
    }
    return selected;
  }

  static void Write(const Vectors& vectors, const std::filesystem::path& to) {
    for (const auto& [id, vector] : vectors) {
      std::filesystem::create_directories(to / id);
      std::ofstream(to / id / "events.json") << vector.input;
      if (!vector.packed) std::ofstream(to / id / "base_config.json") << "{}\n";
    }
  }

  // Imports what is in `from` into a store of its own and exports it from there.
  void Sanitize(const std::filesystem::path& from, const std::filesystem::path& to, const Vectors& vectors) {
    if (vectors.empty()) return;
    const auto log = Must(OpenLog(to.string() + "-store"));
    const ImportReport report = Must(Import(*log, "jp", std::vector{from}));
    ASSERT_EQ(report.added, vectors.size());
    std::vector<ConversationId> ids;
    for (const auto& [id, vector] : vectors) {
      ids.push_back(Id(id));
      Must(turnlog::Sanitize(*log, ids.back(), kLikeJp));
    }
    Must(ExportToFolder(*log, "jp", ids, to));
  }

  static void Expect(const std::filesystem::path& in, const Vectors& vectors) {
    for (const auto& [id, vector] : vectors) {
      SCOPED_TRACE(vector.name);
      const auto history = ReadJpHistory(ReadText(in / id / "events.json"), vector.packed);
      if (!history) {
        ADD_FAILURE() << history.error().reason;
        continue;
      }
      const auto input = ReadJpHistory(vector.input, vector.packed);
      EXPECT_EQ(JpElements(history->events), ReadAgain(ExpectedElements(vector, input.value())));
    }
  }

  // The remaining events may pair differently, so that another answer belongs to a secret question.
  static std::vector<std::string> ReadAgain(const std::vector<std::string>& elements) {
    std::string text;
    for (const std::string& element : elements) text.append(text.empty() ? "[" : ",").append(element);
    return JpElements(ReadJpHistory(text.empty() ? "[]" : text + "]", false).value().events);
  }

  TempDir dir_;
};

TEST_F(Jp082LogTest, DoesWhatTheReferenceDoes) {
  TURNLOG_SHARED_OR_SKIP(file, "vectors/jp-reference.json");
  Check(file, 15);
}

TEST_F(Jp082LogTest, DoesWhatTheReferenceDoesWhereThatIsWeak) {
  TURNLOG_SHARED_OR_SKIP(file, "vectors/jp-gaps.json");
  Check(file, 37);
}

TEST_F(Jp082LogTest, DoesWhatTheReferenceDoesWithRandomStreams) {
  TURNLOG_SHARED_OR_SKIP(file, "vectors/jp-random.json");
  Check(file, 120);
}

}  // namespace
}  // namespace turnlog::jp082_log_test
