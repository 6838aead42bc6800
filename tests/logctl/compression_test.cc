// Commands print the same over a store with records compressed in every way as over one without.
#include "tests/logctl/logctl_test.h"

namespace turnlog::compression_test {
namespace {

class CompressionTest : public LogctlTest {
 protected:
  std::string Of(const std::string& store, Strings words, const std::string& input = {}) {
    words.insert(words.begin(), {"--store", (folder_ / store).string()});
    const Ran ran = RunProgram(words, input);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.out;
  }
};

TEST_F(CompressionTest, CommandsPrintTheSameAsWithout) {
  for (const std::string conversation : {"one", "two", "three"}) {
    for (const std::string store : {"plain", "mixed"}) {
      Of(store, {"store", "init"});
      if (store == "mixed") {
        const std::string compression = conversation == "one" ? "small" : conversation == "two" ? "fast" : "none";
        Of(store, {"store", "set", "--compression", compression});
        EXPECT_THAT(Of(store, {"stats"}), testing::ContainsRegex("compression +" + compression));
      }
      Of(store, {"append", conversation}, SampleLines());
    }
  }
  for (const Strings& words :
       {Strings{"ls"}, Strings{"cat", "one"}, Strings{"cat", "two", "--raw"}, Strings{"show", "one"}, Strings{"tail"},
        Strings{"export", "--all", "--format", "jsonl"}, Strings{"search", "a", "--raw"}, Strings{"pending"}}) {
    EXPECT_EQ(Of("mixed", words), Of("plain", words)) << words.front();
  }
  EXPECT_THAT(Of("mixed", {"verify"}), testing::HasSubstr("clean"));
  EXPECT_EQ(Logctl({"store", "set"}).exit_code, 2);
  const std::string copy = (folder_ / "copy").string();
  Of("plain", {"store", "copy", (folder_ / "plain").string(), copy, "--compression", "fast"});
  EXPECT_THAT(Of("copy", {"stats"}), testing::ContainsRegex("compression +fast"));
  EXPECT_EQ(Of("copy", {"cat", "one"}), Of("plain", {"cat", "one"}));
  const auto again = [&](const std::string& compression) {
    return RunProgram({"store", "copy", (folder_ / "plain").string(), copy, "--compression", compression});
  };
  EXPECT_EQ(again("fast").exit_code, 0) << "as after an interruption";
  EXPECT_THAT(again("small").err, testing::HasSubstr("has events already"));
  EXPECT_THAT(Of("copy", {"stats"}), testing::ContainsRegex("compression +fast"));
}

}  // namespace
}  // namespace turnlog::compression_test
