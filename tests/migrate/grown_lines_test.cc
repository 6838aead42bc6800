// Files of JSON lines, of one or many conversations, that grow: what is new in them is read, and the result is that of
// one import of everything.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <random>

#include "migrate/logged/lines_state.h"
#include "migrate/logged/sealed_state.h"
#include "schema/event/import_event.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"
#include "turnlog/event_json.h"
#include "turnlog/redaction/redact.h"

namespace turnlog::grown_lines_test {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Line(std::string_view fields) { return fmt::format("{{{}}}\n", fields); }
std::string In(std::string_view conversation, std::string_view fields) {
  return Line(fmt::format(R"("conversation":"{}",{})", conversation, fields));
}
std::string Chat(std::string_view text) { return fmt::format(R"("type":"chat_request","content":"{}")", text); }
const std::string kTurn = R"("type":"turn_start")";

class GrownLinesTest : public ImportTest {
 protected:
  ImportReport Import() { return Jsonl({path_}); }
  ImportReport Grow(std::string_view text) {
    std::ofstream(path_, std::ios::binary | std::ios::app) << text;
    return Import();
  }
  // Imports it, and expects that nothing else was read, and that it came in.
  void GrowByLines(const std::string& text) {
    const ImportReport report = Grow(text);
    EXPECT_LE(report.bytes_read, text.size() + 128) << text;
    EXPECT_EQ(report.bytes_parsed, text.size()) << text;
    EXPECT_THAT(report.problems, IsEmpty()) << text;
    ASSERT_THAT(report.bytes, SizeIs(1));
    EXPECT_EQ(report.bytes[0].size, fs::file_size(path_));
    EXPECT_EQ(report.bytes[0].imported, report.bytes[0].size);
  }
  void ForgetKey() { Must(log_->SetWatermark(kImportConsumer, Id(kImportKey), {})); }

  std::vector<std::string> Lines(std::string_view conversation) {
    std::vector<std::string> lines;
    for (const Event& event : Events(conversation)) lines.push_back(ToJson(View(event)));
    return lines;
  }
  std::map<std::string, std::vector<std::string>> Everything() {
    std::map<std::string, std::vector<std::string>> all;
    for (const ConversationId& id : All()) all[id.text()] = Lines(id.text());
    return all;
  }

  const fs::path path_ = Write("chat.jsonl", "");
};

TEST_F(GrownLinesTest, AreReadByLines) {
  Import();
  GrowByLines(In("a", R"("seq":1,)" + kTurn));
  GrowByLines(In("b", kTurn));
  GrowByLines(Line(kTurn));
  GrowByLines(In("a", R"("seq":2,"event_id":"e",)" + Chat("one")));
  GrowByLines("\n" + In("b", Chat("two")) + " \n" + In("a", R"("seq":3,)" + Chat("three")));
  GrowByLines(Line(R"("event_id":"e",)" + Chat("another conversation may have the same id")));
  GrowByLines(In("new", kTurn) + In("new", Chat("four")));
  const ImportReport report = Grow(In("b", Chat("five")));
  EXPECT_EQ(report.extended, 1U);
  EXPECT_EQ(report.unchanged, 3U);
  EXPECT_EQ(report.events, 1U);
  EXPECT_THAT(Lines("a"), SizeIs(3));
  EXPECT_THAT(Lines("b"), SizeIs(3));
  EXPECT_THAT(Lines("chat"), SizeIs(2));
  EXPECT_THAT(Lines("new"), SizeIs(2));
  ForgetKey();
  fs::last_write_time(path_, fs::last_write_time(path_) + std::chrono::seconds(1));  // or it need not be read at all
  const ImportReport whole = Import();
  EXPECT_EQ(whole.unchanged, 4U);
  EXPECT_EQ(whole.bytes_parsed, fs::file_size(path_));
  EXPECT_THAT(whole.problems, IsEmpty());
}

TEST_F(GrownLinesTest, AreReadByLinesAfterACheckpoint) {
  Grow(Line(kTurn));
  Must(log_->Checkpoint());
  GrowByLines(Line(Chat("one")));
}

TEST_F(GrownLinesTest, ContinueAfterRepairs) {
  Grow(Line(kTurn));
  Append(
      "chat",
      Must(ParseEvent(R"({"type":"repair","profile":"x","head":1,"from":1,"to":1,"items":[{"drop":1,"rule":"r"}]})")));
  GrowByLines(Line(Chat("one")));
  EXPECT_THAT(Lines("chat"), SizeIs(3));
}

TEST_F(GrownLinesTest, ThatWereOnlyTouchedAreNotParsed) {
  const std::string text = Line(kTurn) + Line(Chat("one"));
  Grow(text);
  Settle();
  Write("chat.jsonl", text);
  const ImportReport report = Import();
  EXPECT_EQ(report.bytes_read, text.size());
  EXPECT_EQ(report.bytes_parsed, 0U);
  EXPECT_EQ(report.unchanged, 1U);
  GrowByLines(Line(Chat("two")));
}

TEST_F(GrownLinesTest, ACopyThatIsLongerIsParsedWhereItIsNew) {
  const std::string text = Line(kTurn), more = Line(Chat("one"));
  Grow(text);
  fs::remove(path_);
  const ImportReport report = Grow(text + more);
  EXPECT_EQ(report.bytes_parsed, more.size());
  EXPECT_EQ(report.extended, 1U);
}

// In each of these cases the file is read as a whole, and refused as it would be without its past.
TEST_F(GrownLinesTest, AreRefusedAsAWholeFileIs) {
  const std::string past = In("a", R"("seq":1,)" + kTurn) + In("a", R"("seq":2,"event_id":"e",)" + Chat("one"));
  const std::vector<std::string> lines{
      In("a", R"("seq":3,"event_id":"e",)" + Chat("repeats the id of an earlier line")),
      In("a", R"("seq":4,)" + Chat("leaves out 3")),
      In("a", R"("seq":2,)" + Chat("repeats 2")),
      In("a", R"("seq":3,"type":"chat_request")"),
      "{\"conversation\":\"a\",\"seq\":3,\n",
  };
  for (const std::string& line : lines) {
    fs::remove(path_);
    TempStore other;
    std::swap(other.log, log_);
    Grow(past);
    const ImportReport report = Grow(line);
    EXPECT_EQ(report.failed, 1U) << line;
    ASSERT_THAT(report.problems, SizeIs(1)) << line;
    EXPECT_EQ(report.problems[0].line, 3U) << line;
    EXPECT_EQ(report.problems[0].code, ImportProblemCode::kMalformed) << line;
    EXPECT_THAT(Lines("a"), SizeIs(2)) << line;
    std::swap(other.log, log_);
  }
}

TEST_F(GrownLinesTest, WithAnotherPastAreAConflict) {
  Grow(Line(kTurn) + Line(Chat(std::string(200, 'x'))));
  Settle();
  Write("chat.jsonl", Line(kTurn) + Line(Chat(std::string(200, 'y'))) + Line(Chat("more")));
  const ImportReport report = Import();
  EXPECT_EQ(report.failed, 1U);
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].code, ImportProblemCode::kChanged);
}

TEST_F(GrownLinesTest, OfAConversationThatHasGoneOnInTheLogAreAConflict) {
  Grow(Line(kTurn));
  Append("chat", Must(ParseEvent(R"({"type":"chat_request","content":"in the log"})")));
  EXPECT_EQ(Grow(Line(Chat("in the file"))).failed, 1U);
  EXPECT_THAT(Lines("chat"), SizeIs(2));
}

TEST_F(GrownLinesTest, ALineThatWasTornIsReadWhenItIsComplete) {
  const std::string line = Line(Chat("one"));
  Grow(Line(kTurn));
  const ImportReport torn = Grow(line.substr(0, 10));
  EXPECT_EQ(torn.failed, 0U);
  ASSERT_THAT(torn.notes, SizeIs(1));
  EXPECT_EQ(torn.notes[0].code, ImportProblemCode::kIncomplete);
  EXPECT_EQ(torn.notes[0].line, 2U);
  EXPECT_EQ(Grow(line.substr(10)).extended, 1U);
  const std::string whole = line.substr(0, line.size() - 1);
  EXPECT_EQ(Grow(whole).extended, 1U) << "without its line break";
  EXPECT_EQ(Grow("\n" + line).extended, 1U);
  EXPECT_THAT(Lines("chat"), SizeIs(4));
  GrowByLines(line);
}

TEST_F(GrownLinesTest, ALineThatIsNotCompleteIsReadByLines) {
  const std::string line = Line(Chat("one"));
  const std::string begun = line.substr(0, 10), rest = line.substr(10), whole = line.substr(0, line.size() - 1);
  const auto grow = [&](const std::string& text, std::size_t parsed, std::size_t unreadable) {
    const ImportReport report = Grow(text);
    EXPECT_LE(report.bytes_read, parsed + 128) << text;
    EXPECT_EQ(report.bytes_parsed, parsed) << text;
    EXPECT_THAT(report.problems, IsEmpty()) << text;
    EXPECT_EQ(report.bytes.at(0).size, fs::file_size(path_));
    EXPECT_EQ(report.bytes.at(0).unreadable, unreadable) << text;
  };
  Grow(Line(kTurn));
  grow(begun, begun.size(), begun.size());
  grow(rest.substr(0, 3), begun.size() + 3, begun.size() + 3);
  grow(rest.substr(3), line.size(), 0);
  grow(whole, whole.size(), 0);
  grow("\n", 1, 0);
  grow(whole, whole.size(), 0);
  grow("\n" + whole, line.size(), 0);
  grow("\r", 1, 0);
  const ImportReport again = Grow("\n\n" + whole);
  EXPECT_EQ(again.extended, 1U);
  EXPECT_THAT(Lines("chat"), SizeIs(6));
  EXPECT_EQ(Grow(whole + "\n").failed, 1U) << "two objects on a line";
  EXPECT_THAT(Lines("chat"), SizeIs(6));
}

// What is found in further lines is said once, though the whole file is read then.
TEST_F(GrownLinesTest, AreReportedOnce) {
  Grow(Line(kTurn));
  const ImportReport report = Grow("garbage\n" + Line(kTurn).substr(0, 10));
  EXPECT_THAT(report.problems, SizeIs(1));
  EXPECT_THAT(report.notes, SizeIs(1));
}

TEST_F(GrownLinesTest, AnswersFindTheQuestionsThatWereReadBefore) {
  const auto ask = [](std::string_view id, std::string_view type) {
    return Line(fmt::format(R"("type":"inquiry_request","id":"c.{}.1","source":{{"source":"user"}},)"
                            R"("question":{{"text":"?","answer_type":{{"type":"{}"}}}})",
                            id, type));
  };
  const auto answer = [](std::string_view id) {
    return Line(fmt::format(R"("type":"inquiry_response","id":"c.{}.1","answer":"hunter2")", id));
  };
  Grow(Line(kTurn) + ask("open", "text") + ask("secret", "secret"));
  GrowByLines(answer("open"));
  const ImportReport report = Grow(answer("secret"));
  EXPECT_EQ(report.extended, 1U);
  EXPECT_EQ(std::get<InquiryResponse>(Events("chat").at(3).body).outcome, Outcome::kAnswered);
  EXPECT_EQ(std::get<InquiryResponse>(Events("chat").at(4).body).outcome, Outcome::kRedacted);
}

TEST_F(GrownLinesTest, WithVeryManyConversationsAreReadAsAWhole) {
  std::string text;
  for (std::size_t i = 0; i <= LinesHeads::kMost; ++i) text += In(std::to_string(i), kTurn);
  Grow(text);
  const ImportReport report = Grow(In("0", Chat("one")));
  EXPECT_EQ(report.extended, 1U);
  EXPECT_EQ(report.bytes_parsed, fs::file_size(path_));
}

// Hashes of a file could show what was redacted: also if that was in another conversation of the file.
TEST_F(GrownLinesTest, AreForgottenByAnyRedaction) {
  const std::string value = std::string("Kq7v-rather") + "Secret!9x";
  Grow(In("a", Chat(value)) + In("b", Chat("one")));
  ASSERT_FALSE(Must(log_->FindWatermark(kImportConsumer, Id(kImportKey)))->state.empty());
  RedactionTargets targets;
  targets.values = {value};
  Must(Must(Redaction::Plan(*log_, targets))->Apply("tester"));
  EXPECT_TRUE(Must(log_->FindWatermark(kImportConsumer, Id(kImportKey)))->state.empty());
  const ImportReport report = Grow(In("b", Chat("two")));
  EXPECT_EQ(report.extended, 1U);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.bytes_parsed, fs::file_size(path_));
  EXPECT_THAT(Lines("b"), SizeIs(2));
  GrowByLines(In("b", Chat("three")));
}

// Seeded files that grow, some of their lines wrong, beside imports that always read everything.
TEST_F(GrownLinesTest, BringTheSameAsTheWholeFile) {
  for (std::uint32_t seed = 0; seed < SampleSize(30, 1000); ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
    TempStore by_lines, as_a_whole;
    fs::remove(path_);
    std::map<std::string, int> seqs;
    for (int step = 0; step < 8; ++step) {
      std::string text;
      for (std::uint32_t i = below(4); i > 0; --i) {
        const std::string conversation = std::string(1, static_cast<char>('a' + below(3)));
        int& seq = seqs[conversation];
        ++seq;
        if (below(25) == 0) ++seq;
        const std::string numbered = below(2) == 0 ? fmt::format(R"("seq":{},)", seq) : "";
        const std::string id = below(4) == 0 ? fmt::format(R"("event_id":"e{}",)", below(30)) : "";
        text += In(conversation,
                   numbered + id + (below(30) == 0 ? R"("type":"chat_request")" : Chat(id.empty() ? "x" : "y")));
      }
      std::swap(by_lines.log, log_);
      const ImportReport grown = Grow(text);
      const auto lines = Everything();
      std::swap(by_lines.log, log_);
      std::swap(as_a_whole.log, log_);
      ForgetKey();
      const ImportReport whole = Import();
      EXPECT_EQ(lines, Everything()) << seed << " " << step;
      EXPECT_EQ(grown.added, whole.added) << seed << " " << step;
      EXPECT_EQ(grown.extended, whole.extended) << seed << " " << step;
      EXPECT_EQ(grown.failed, whole.failed) << seed << " " << step;
      EXPECT_EQ(grown.events, whole.events) << seed << " " << step;
      std::swap(as_a_whole.log, log_);
    }
  }
}

TEST_F(GrownLinesTest, AStateIsReadWithItsKeyOnly) {
  const std::string state(100, 's');
  const std::string sealed = Must(Seal(*log_, state));
  EXPECT_EQ(Must(Unseal(*log_, sealed)), state);
  EXPECT_NE(Must(Seal(*log_, state)), sealed) << "each time another one";
  EXPECT_THAT(sealed, testing::Not(HasSubstr("ssss")));
  EXPECT_EQ(Must(Unseal(*log_, "short")), std::nullopt);
  for (std::size_t at = 0; at < sealed.size(); at += kByteStep) {
    std::string damaged = sealed;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_EQ(Must(Unseal(*log_, damaged)), std::nullopt) << at;
  }
  ForgetKey();
  EXPECT_EQ(Must(Unseal(*log_, sealed)), std::nullopt);
  Must(Seal(*log_, state));
  EXPECT_EQ(Must(Unseal(*log_, sealed)), std::nullopt) << "another key";
}

}  // namespace
}  // namespace turnlog::grown_lines_test
