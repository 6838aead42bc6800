// Sources that come in through another program.
#include <fmt/format.h>
#include <sys/resource.h>

#include "tests/logctl/logctl_test.h"

namespace turnlog::adapter_test {
namespace {

using testing::HasSubstr;

constexpr std::string_view kChat =
    R"({"chat":"17","id":"m1","time":"2026-01-31T10:00:00Z","from":"user","text":"Hi"})"
    "\n"
    R"({"chat":"17","id":"m2","time":"2026-01-31T10:00:01Z","from":"bot","text":"Hello."})"
    "\n"
    R"({"chat":"17","id":"m3","time":"2026-01-31T10:00:02Z","from":"system","text":"x"})"
    "\n";

using AdapterTest = LogctlTest;

TEST_F(AdapterTest, ImportsWhatAnAdapterPrintsAndOnlyWhatIsNew) {
  const std::string chat = WriteFile("my chat.jsonl", kChat);
  const std::string adapter = std::string("exec:") + TURNLOG_ADAPTER;
  EXPECT_THAT(Output({"import", adapter, chat}), HasSubstr("1 conversation added; 4 new events"));
  EXPECT_THAT(Output({"import", adapter, chat}), HasSubstr("0 new events"));
  WriteFile(
      "my chat.jsonl",
      std::string(kChat) + R"({"chat":"17","id":"m4","time":"2026-01-31T10:00:03Z","from":"bot","text":"?"})" + "\n");
  EXPECT_THAT(Output({"import", adapter, chat}), HasSubstr("1 extended; 1 new event"));
  EXPECT_THAT(Output({"cat", "17", "--raw"}), HasSubstr(R"("source_text":"{\"chat\":\"17\",\"id\":\"m2\")"));
}

// Damage, repeated ids and a line that is being written cost nothing else.
TEST_F(AdapterTest, TheExampleReadsADamagedSource) {
  const std::string chat = WriteFile("chat.jsonl", std::string(kChat) + "\n{\"chat\":\"17\",\n\xff\n[]\n" +
                                                       R"({"chat":"17","id":"m1","from":"bot","text":"again"})" + "\n" +
                                                       R"({"chat":"17","id":"m4","from":"us)");
  const std::string adapter = std::string("exec:") + TURNLOG_ADAPTER;
  EXPECT_EQ(Logctl({"import", "--check", adapter, chat}).exit_code, 0);
  EXPECT_THAT(Output({"import", adapter, chat}), HasSubstr("1 conversation added; 8 new events"));
}

TEST_F(AdapterTest, ImportsNothingOfAnAdapterThatFails) {
  const std::string chat = WriteFile("chat.jsonl", R"({"conversation":"c","type":"turn_start"})"
                                                   "\n");
  const Ran ran = Logctl({"import", "exec:cat && false", chat});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr(chat + ": the adapter ended with 1"));
  EXPECT_EQ(Output({"ls", "--json"}).find("\"c\""), std::string::npos);
  EXPECT_THAT(Logctl({"import", "--check", "exec:cat && false", chat}), FailsWith(1, chat));
}

TEST_F(AdapterTest, ImportsTheOtherSourcesOfAnAdapterThatFails) {
  const auto chat = [&](const std::string& name) {
    return WriteFile(name, R"({"conversation":")" + name + R"(","type":"turn_start"})" + "\n");
  };
  const std::string a = chat("a"), c = chat("c"), missing = (folder_ / "b").string();
  const Ran ran = Logctl({"import", "exec:cat", a, missing, c});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("2 conversations added, 1 failed"));
  EXPECT_THAT(ran.err, HasSubstr(missing + ": the adapter ended with 1"));
  const Ran again = Logctl({"import", "exec:cat", missing, a, c, "--json"});
  EXPECT_THAT(again.out, HasSubstr(R"("unchanged": 2)"));
  EXPECT_THAT(again.out, HasSubstr(R"("source": ")" + a)) << "bytes have the names of their sources";
}

// Each output is an open file.
TEST_F(AdapterTest, ImportsMoreSourcesThanItMayHaveFilesOpen) {
  std::vector<std::string> words{"import", "exec:cat"};
  for (int i = 0; i < 200; ++i) {
    const std::string name = fmt::format("c{}", i);
    words.push_back(WriteFile(name, fmt::format(R"({{"conversation":"{}","type":"turn_start"}})", name) + "\n"));
  }
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 160;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const Ran ran = Logctl(words);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("200 conversations added; 200 new events"));
}

TEST_F(AdapterTest, IsNotFollowed) {
  const std::string chat = WriteFile("chat.jsonl", "");
  EXPECT_THAT(Logctl({"import", "exec:cat", chat, "--follow"}), FailsWith(2, "--follow"));
  EXPECT_THAT(Logctl({"import", "exec:", chat}), FailsWith(2, "needs a command"));
  EXPECT_THAT(Logctl({"import", "exec: \t", chat}), FailsWith(2, "needs a command"));
  EXPECT_THAT(Logctl({"import", "auto", "-", "--follow"}), FailsWith(2, "--follow needs files or folders"));
  EXPECT_THAT(Logctl({"import", "bogus", chat}), FailsWith(2, "exec:CMD"));
}

TEST_F(AdapterTest, NamesTheSourceOfAProblem) {
  const std::string chat = WriteFile("chat.jsonl", R"({"conversation":"c","type":3})"
                                                   "\n");
  const Ran ran = Logctl({"import", "exec:cat", chat});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr(chat + " (output of the adapter), line 1"));
}

TEST_F(AdapterTest, ChecksWhatAnAdapterPrints) {
  const auto check = [&](const std::string& command, const std::string& text) {
    return Logctl({"import", "--check", "exec:" + command, WriteFile("x.jsonl", text)});
  };
  const Ran good = check(TURNLOG_ADAPTER, std::string(kChat));
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("conforms: 1 conversation, 4 events, 3 with the source's record"));
  const std::string line = R"({"conversation":"c","type":"turn_start","source_text":"x"})"
                           "\n";
  EXPECT_EQ(check("cat", line).exit_code, 0);
  EXPECT_THAT(check("cat", R"({"conversation":"c","type":"turn_start"})").err, HasSubstr("source_text"));
  EXPECT_THAT(check("cat", "garbage\n").err, HasSubstr(": output, line 1, byte 0: "));
  EXPECT_THAT(check("cat", R"({"type":"turn_start","source_text":"x"})").err, HasSubstr("conversation"));
  EXPECT_THAT(check("cat", "").err, HasSubstr("no conversation"));
  for (int i = 0; i < 30; ++i) {  // the number of its output among the open files
    const std::string named = fmt::format(R"({{"conversation":"{}","type":"turn_start","source_text":"x"}})", i);
    EXPECT_EQ(check("cat", named + "\n").exit_code, 0) << i;
  }
  EXPECT_THAT(check("cat", "no JSON").err, HasSubstr("line 1"));
  EXPECT_THAT(check("echo '{\"conversation\":\"c'$$'\",\"type\":\"turn_start\",\"source_text\":\"x\"}' #", line).err,
              HasSubstr("something else"));
  EXPECT_EQ(check("cat", "").exit_code, 3);
  const Ran json = Logctl({"import", "--check", "--json", "exec:cat", WriteFile("good", line), WriteFile("bad", "")});
  EXPECT_EQ(json.exit_code, 3);
  const JsonValue report = JsonValue::Parse(json.out);
  EXPECT_TRUE(report["sources"][0]["conforms"].Flag());
  EXPECT_FALSE(report["sources"][1]["conforms"].Flag());
  EXPECT_GT(report["sources"][1]["problems"].Size(), 0U);
  EXPECT_THAT(Logctl({"import", "--check", "jsonl", WriteFile("x.jsonl", line)}), Fails(2));
}

}  // namespace
}  // namespace turnlog::adapter_test
