// Mending sessions of agent tools.
#include "turnlog/doctor/doctor.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/logctl/logctl_test.h"
#include "tests/support/fake_token.h"
#include "tests/support/source_dir.h"

namespace turnlog::doctor_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class DoctorTest : public LogctlTest {
 protected:
  DoctorTest() { fs::create_directory(folder_ / "project"); }

  // A copy of a damaged session.
  std::string Session(const std::string& name) {
    const fs::path to = folder_ / "project" / (name + ".jsonl");
    fs::copy_file(SourceDir() / "tests/fixtures/damaged/claude-code" / (name + ".jsonl"), to);
    return to.string();
  }
  std::string project() const { return (folder_ / "project").string(); }
};

TEST_F(DoctorTest, WritesMendedCopiesBesideTheSessions) {
  const std::string session = Session("orphaned-call");
  const Ran ran = RunProgram({"doctor", session});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("line 2: anthropic-missing-result: toolu_1\n"));
  EXPECT_THAT(ran.out, HasSubstr("1 of 1 location mended"));
  EXPECT_TRUE(fs::exists(session + ".mended"));
  fs::rename(session + ".mended", session);
  EXPECT_EQ(RunProgram({"doctor", "--check", session}).exit_code, 0);
}

TEST_F(DoctorTest, WritesMendedCopiesIntoAFolder) {
  Session("orphaned-call");
  Session("sound");
  const std::string out = (folder_ / "out").string();
  EXPECT_EQ(RunProgram({"doctor", folder_.path().string(), "--out", out}).exit_code, 0);
  EXPECT_TRUE(fs::exists(out + "/project/orphaned-call.jsonl"));
  EXPECT_FALSE(fs::exists(out + "/project/sound.jsonl"));
}

TEST_F(DoctorTest, ChecksForScripts) {
  const std::string session = Session("sound");
  EXPECT_EQ(RunProgram({"doctor", "--check", session}).exit_code, 0);
  Session("torn-last-line");
  const Ran ran = RunProgram({"doctor", "--check", project()});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_THAT(ran.out, HasSubstr("can be mended"));
  EXPECT_EQ(fs::exists(folder_ / "project/torn-last-line.jsonl.mended"), false);
}

TEST_F(DoctorTest, SaysWhatTheRulesRequire) {
  const std::string session = Session("broken-chain");
  const Ran ran = RunProgram({"doctor", "--check", session});
  EXPECT_THAT(ran.out, HasSubstr("\n  broken-chain: " + std::string(FindSessionRule("broken-chain")->requirement)));
  EXPECT_THAT(RunProgram({"doctor", "--check", "-q", session}).out, Not(HasSubstr("What is required")));
}

// What is not in the plan, and why.
TEST_F(DoctorTest, PlansWithProblems) {
  const Ran ran = RunProgram({"doctor", "--plan", Session("sound"), WriteFile("other.txt", "other")});
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran, FailsWith(1, "other.txt"));
}

TEST_F(DoctorTest, ReportsAsJson) {
  const std::string session = Session("conflicting-record");
  const JsonValue report = JsonValue::Parse(RunProgram({"doctor", "--json", "--check", session}).out);
  const JsonValue file = report["sessions"][0];
  EXPECT_EQ(file["file"].Text(), session);
  EXPECT_EQ(file["format"].Text(), "claude-code");
  EXPECT_EQ(file["findings"][0]["rule"].Text(), "conflicting-record");
  EXPECT_EQ(file["findings"][0]["line"].Number(), 5U);
  EXPECT_FALSE(file["findings"][0]["mended"].Flag());
}

TEST_F(DoctorTest, ReplacesSessionsThatAreIdle) {
  const std::string session = Session("orphaned-call");
  fs::last_write_time(session, fs::file_time_type::clock::now());
  const Ran busy = RunProgram({"doctor", "--in-place", session});
  EXPECT_EQ(busy.exit_code, 4);
  EXPECT_THAT(busy.err, HasSubstr("not written"));
  EXPECT_THAT(busy.out, HasSubstr("0 of 1 location mended"));
  const Ran ran = RunProgram({"doctor", "--in-place", "--idle", "0", session});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(RunProgram({"doctor", "--check", session}).exit_code, 0);
}

TEST_F(DoctorTest, DoesNotReplaceASessionThatIsOpen) {
  const std::string session = Session("orphaned-call");
  const int fd = ::open(session.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const Ran ran = RunProgram({"doctor", "--in-place", "--idle", "0", session});
  ::close(fd);
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_THAT(ran.err, HasSubstr(std::to_string(::getpid())));
}

TEST_F(DoctorTest, CarriesOutAPlan) {
  const std::string session = Session("orphaned-call");
  const Ran plan = RunProgram({"doctor", "--plan", session});
  EXPECT_EQ(plan.exit_code, 0);
  const std::string file = WriteFile("plan.jsonl", plan.out);
  const Ran applied = RunProgram({"doctor", "--apply", file, "--in-place", "--idle", "0"});
  EXPECT_EQ(applied.exit_code, 0);
  EXPECT_THAT(applied.out, HasSubstr("1 of 1 planned session mended"));
  EXPECT_EQ(RunProgram({"doctor", "--check", session}).exit_code, 0);
  const Ran again = RunProgram({"doctor", "--apply", file, "--in-place", "--idle", "0"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("plan"));
}

TEST_F(DoctorTest, CountsAndReplacesSecrets) {
  const std::string& secret = kFakeToken;
  const std::string session = Session("sound");
  std::string text = ReadFile("project/sound.jsonl");
  text.replace(text.find("a.txt"), 5, "token " + secret);
  std::ofstream(session) << text;
  const Ran check = RunProgram({"doctor", "--check", session});
  EXPECT_THAT(check.out, HasSubstr("1 presumed secret in 1 session"));
  EXPECT_THAT(check.out, HasSubstr("line 3: presumed secret: "));
  const JsonValue found = JsonValue::Parse(RunProgram({"doctor", "--json", "--check", session}).out);
  EXPECT_EQ(found["sessions"][0]["secrets"][0]["line"].Number(), 3U);
  EXPECT_THAT(check.out, Not(HasSubstr(secret)));
  EXPECT_THAT(RunProgram({"doctor", "--check", "--redact", session}).out, HasSubstr("1 presumed secret in 1 session"));
  const Ran ran = RunProgram({"doctor", "--redact", "--in-place", "--idle", "0", session});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("nothing to mend; secrets replaced in 1 record, none left"));
  EXPECT_THAT(ReadFile("project/sound.jsonl"), HasSubstr("token [redacted]"));
  EXPECT_EQ(std::distance(fs::directory_iterator(project()), fs::directory_iterator()), 1);
}

TEST_F(DoctorTest, DoesNotCallASecretReplacedThatIsStillThere) {
  const std::string session = Session("sound");
  std::string text = ReadFile("project/sound.jsonl");
  std::ofstream(session) << text.replace(text.find("a.txt"), 5, "token " + kFakeToken);
  const Ran ran = RunProgram({"doctor", "--redact", "--in-place", session});
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_THAT(ran.err, HasSubstr("not written: it was written"));
  EXPECT_THAT(ran.out, HasSubstr("  secrets not replaced in 1 record\n"));
  EXPECT_THAT(ran.out, HasSubstr("; secrets not replaced in 1 record\n"));
  const Ran json = RunProgram({"doctor", "--redact", "--in-place", session, "--json"});
  EXPECT_THAT(json.out, HasSubstr(R"("not_redacted_records": 1)"));
}

TEST_F(DoctorTest, ReportsSecretsBesideTheSessions) {
  const std::string& secret = kFakeToken;
  const fs::path home = folder_ / ".claude";
  fs::create_directories(home / "projects/p/sound/tool-results");
  fs::create_directories(home / "paste-cache");
  fs::copy_file(SourceDir() / "tests/fixtures/damaged/claude-code/sound.jsonl", home / "projects/p/sound.jsonl");
  for (const char* name : {"history.jsonl", "paste-cache/1.txt", "projects/p/sound/tool-results/o.txt"}) {
    std::ofstream(home / name) << "token " << secret << "\n";
  }
  const Ran ran = RunProgram({"doctor", "--json", "--redact", (home / "projects").string()});
  EXPECT_THAT(ran.out, Not(HasSubstr(secret)));
  const JsonValue around = JsonValue::Parse(ran.out)["surroundings"];
  ASSERT_EQ(around.Size(), 3U);
  EXPECT_EQ(around[0]["path"].Text(), (home / "history.jsonl").string());
  EXPECT_EQ(around[2]["path"].Text(), (home / "projects/p/sound/tool-results").string());
  const Ran text = RunProgram({"doctor", "--redact", (home / "projects").string()});
  EXPECT_THAT(text.out, HasSubstr("paste-cache: 1 presumed secret, not cleaned"));
  EXPECT_THAT(text.out, HasSubstr("; 0 of 3 presumed secrets beside the sessions removed\n"));
  EXPECT_THAT(text.out, Not(HasSubstr("no presumed secrets")));
}

// A folder of the user with the name of one of a tool.
TEST_F(DoctorTest, SearchesNothingAroundASessionThatIsElsewhere) {
  const fs::path projects = folder_ / "projects/mine/copies";
  fs::create_directories(projects);
  fs::copy_file(SourceDir() / "tests/fixtures/damaged/claude-code/sound.jsonl", projects / "sound.jsonl");
  std::ofstream(folder_ / "other.txt") << "mine\n";
  const Ran ran = RunProgram({"doctor", "--json", "--redact", projects.string()});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("other.txt")));
}

// What the tool uses again is only named.
TEST_F(DoctorTest, CleansWhatIsKeptForPeople) {
  const std::string& secret = kFakeToken;
  const fs::path home = folder_ / ".claude";
  fs::create_directories(home / "projects/p/sound/tool-results");
  fs::create_directories(home / "file-history/s");
  fs::copy_file(SourceDir() / "tests/fixtures/damaged/claude-code/sound.jsonl", home / "projects/p/sound.jsonl");
  const std::vector<std::string> cleaned{"history.jsonl", "projects/p/sound/tool-results/o.txt",
                                         "projects/p/sessions-index.json"};
  const std::vector<std::string> kept{"settings.json", ".credentials.json", "file-history/s/a@v1"};
  for (const auto& names : {cleaned, kept}) {
    for (const std::string& name : names)
      std::ofstream(home / name) << R"({"kept":1,"text":"token )" << secret << "\"}\n";
  }
  const Ran ran = RunProgram({"doctor", "--redact", "--in-place", "--idle", "0", (home / "projects").string()});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("history.jsonl: 1 of 1 presumed secret removed"));
  EXPECT_THAT(ran.out, HasSubstr("settings.json: 1 presumed secret, not cleaned"));
  const auto text_of = [&](const std::string& name) {
    std::ifstream in(home / name);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  for (const std::string& name : kept) EXPECT_THAT(text_of(name), HasSubstr(secret)) << name;
  for (const std::string& name : cleaned) {
    EXPECT_EQ(text_of(name), "{\"kept\":1,\"text\":\"token [redacted]\"}\n") << name;
  }
  for (const auto& entry : fs::recursive_directory_iterator(home)) {
    EXPECT_FALSE(entry.path().string().ends_with(".before-doctor")) << entry.path();
  }
}

TEST_F(DoctorTest, RemovesSignedThinkingWithASecret) {
  const std::string& secret = kFakeToken;
  const std::string session = Session("empty-thinking");
  std::string text = ReadFile("project/empty-thinking.jsonl");
  const std::string_view empty = R"("thinking":"")";
  text.replace(text.find(empty), empty.size(), R"("thinking":"the token is )" + secret + "\"");
  std::ofstream(session) << text;
  EXPECT_EQ(RunProgram({"doctor", "--check", session}).exit_code, 0);
  EXPECT_EQ(RunProgram({"doctor", "--redact", "--in-place", "--idle", "0", session}).exit_code, 0);
  EXPECT_THAT(ReadFile("project/empty-thinking.jsonl"), Not(HasSubstr("thinking")));
}

TEST_F(DoctorTest, RefusesWhatDoesNotGoTogether) {
  const std::string session = Session("sound");
  EXPECT_THAT(RunProgram({"doctor"}), Fails(2));
  EXPECT_THAT(RunProgram({"doctor", session, "--in-place", "--out", "x"}), Fails(2));
  EXPECT_THAT(RunProgram({"doctor", session, "--idle", "3"}), Fails(2));
  EXPECT_THAT(RunProgram({"doctor", session, "--apply", "x"}), Fails(2));
  EXPECT_THAT(RunProgram({"doctor", "--apply", "x", "--redact"}), Fails(2));
  EXPECT_THAT(RunProgram({"doctor", "/nowhere"}), FailsWith(1, "/nowhere"));
  for (const char* jobs : {"0", "99999"}) EXPECT_THAT(RunProgram({"doctor", session, "--jobs", jobs}), Fails(2));
}

TEST_F(DoctorTest, ExplainsItsRules) {
  EXPECT_THAT(RunProgram({"explain", "torn-line"}).out, HasSubstr(std::string(FindSessionRule("torn-line")->cure)));
}

}  // namespace
}  // namespace turnlog::doctor_test
