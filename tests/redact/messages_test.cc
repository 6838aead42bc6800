// Whatever goes wrong in a redaction, no output of it holds a value: calls on files that fail, files with wrong bytes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <random>

#include "tests/logctl/logctl_test.h"
#include "tests/redact/search.h"
#include "tests/secrets/fake_secrets.h"
#include "tests/support/effort.h"
#include "turnlog/json.h"

namespace turnlog::messages_test {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

// The last has what each way to name values needs.
const std::vector<Strings> kWays{
    {"redact", "--by", "me", "--values-stdin"},
    {"redact", "--by", "me", "--values-stdin", "--json"},
    {"redact", "--dry-run", "--values-stdin", "--report"},
    {"redact", "--by", "me", "--value-file", "FOLDER/value"},
    {"redact", "--by", "me", "--secrets", "--detect"},
    {"redact", "--dry-run", "--secrets", "--detect", "--json"},
    {"redact", "--dry-run", "--secrets", "--detect", "--explain"},
    {"redact", "--by", "me", "--inquiry", "q"},
};

// The value is wherever a message may quote something: in contents, the conversation's name, files' names and bytes.
class RedactMessagesTest : public LogctlTest {
 protected:
  RedactMessagesTest() {
    const std::string text(JsonString("the token: " + value_ + " and " + key_).text());
    Append("about " + value_, R"({"type":"chat_request","content":)" + text + "}\n" +
                                  R"({"type":"inquiry_response","outcome":"answered","id":"q","answer":")" + value_ +
                                  "\"}\n" +
                                  R"({"type":"inquiry_request","id":"q","source":{"source":"user"},)"
                                  R"("question":{"text":"?","answer_type":{"type":"secret"}}})"
                                  "\n" +
                                  R"({"type":"later-kind","deep":[{"a":)" + text + "}]}\n");
    WriteFile("value", value_ + "\n");
    std::ofstream(fs::path(store()) / ("copy of " + value_)) << value_;
    fs::rename(store(), folder_ / "sound");
  }

  Ran RedactCopy(const Strings& way, const Strings& environment = {}) {
    Strings words{"--store", store()};
    for (const std::string& word : way) words.push_back(word == "FOLDER/value" ? (folder_ / "value").string() : word);
    return RunProgram(words, value_ + "\n" + key_ + "\n", environment);
  }
  void Restore() {
    fs::remove_all(store());
    fs::copy(folder_ / "sound", store(), fs::copy_options::recursive);
  }

  // What a command knows to be secret when events may be unreadable. If the value is not given, and the event is lost
  // that shows it to be a secret, a name with it is like any other.
  Strings KnownTo(const Strings& way) const {
    const bool given = std::ranges::any_of(way, [](const std::string& word) { return word.starts_with("--value"); });
    return given ? Strings{value_, key_} : Strings{key_};
  }
  void ExpectNoValue(const Ran& ran) { ExpectNone({value_, key_}, ran); }
  void ExpectNone(const Strings& values, const Ran& ran) {
    EXPECT_LT(ran.exit_code, 128) << ran.err;
    for (const std::string& value : values) {
      for (const std::string& form :
           {value, EncodeBase64(value).substr(0, 12), std::string(value.rbegin(), value.rend())}) {
        EXPECT_FALSE(ran.out.contains(form) || ran.err.contains(form)) << ran.out << ran.err;
      }
    }
    failed_ += ran.exit_code == 0 ? 0 : 1;
    masked_ += ran.err.contains("[redacted]") || ran.out.contains("[redacted]") ? 1 : 0;
  }

  // In pieces, so that scanners do not report this file as a leak.
  const std::string value_ = std::string("Kq7v-rather") + "Secret.9x";
  const std::string key_ = std::string("gh") + "p_" + FakeSecrets(1).Of(kAlnum, 36);
  int failed_ = 0, masked_ = 0;
};

#ifdef FAILING_CALLS
TEST_F(RedactMessagesTest, HoldNoValueWhenACallFails) {
  for (const Strings& way : kWays) {
    const std::string counted = (folder_ / "calls").string(), library = "LD_PRELOAD=" FAILING_CALLS;
    Restore();
    ExpectNoValue(RedactCopy(way, {library, "TURNLOG_COUNT_CALLS=" + counted}));
    std::uint64_t calls = 0;
    std::ifstream(counted) >> calls;
    ASSERT_GT(calls, 10U) << "the calls are not counted";
    for (std::uint64_t call = 1; call <= calls && !HasFailure(); call += SampleStep(23)) {
      Restore();
      const std::string failing = fmt::format("TURNLOG_FAIL_CALL={}{}", call, call % 2 == 0 ? "+" : "");
      ExpectNone(KnownTo(way), RedactCopy(way, {library, failing}));
    }
  }
  EXPECT_GT(failed_, 30);
  EXPECT_GT(masked_, 3) << "no message names what has the value in its name";
}
#endif

TEST_F(RedactMessagesTest, HoldNoValueWhenFilesAreDamaged) {
  std::mt19937 random(20261122);
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "sound")) {
    if (entry.is_regular_file() && entry.file_size() > 0)
      files.push_back(fs::relative(entry.path(), folder_ / "sound"));
  }
  ASSERT_GT(files.size(), 5U);
  std::ranges::sort(files);
  const std::uint64_t rounds = SampleSize(60, 2000);
  for (std::uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    Restore();
    const fs::path file = fs::path(store()) / files[random() % files.size()];
    // What was written is at the beginning of a segment, which is allocated ahead.
    const std::uint64_t size = std::min<std::uint64_t>(fs::file_size(file), 8192);
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    for (std::uint32_t left = 1 + random() % 8; left > 0; --left) {
      bytes.seekp(static_cast<std::streamoff>(random() % size));
      bytes.put(static_cast<char>(random()));
    }
    bytes.close();
    if (random() % 8 == 0) fs::resize_file(file, random() % size);
    const Strings& way = kWays[random() % kWays.size()];
    ExpectNone(KnownTo(way), RedactCopy(way));
  }
  EXPECT_GT(failed_, 10);
}

// The names that a user gives may be the value itself; those of the store are shown without it.
TEST_F(RedactMessagesTest, HoldNoValueOfNamesInTheStore) {
  Restore();
  const Ran ran = RedactCopy(kWays.front());
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out + ran.err, HasSubstr("about [redacted]"));
  EXPECT_THAT(ran.out + ran.err, HasSubstr("copy of [redacted]"));
  ExpectNoValue(ran);
}

}  // namespace
}  // namespace turnlog::messages_test
