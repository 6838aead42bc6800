// Damage to a document with a list of records costs the damaged bytes only, in every format that has documents.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "migrate/logged/quarantine.h"
#include "migrate/sources/wrong_format.h"
#include "tests/migrate/gemini_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"

namespace turnlog::document_damage_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::size_t kRecords = 5;

// A document whose record number N has the text "text N".
struct Sample {
  std::string format, file, header, record, trailer;

  std::string Record(std::size_t number) const {
    return fmt::format(fmt::runtime(record), fmt::arg("n", number), fmt::arg("role", number % 2 == 0 ? "user" : other));
  }
  std::string Text() const {
    std::string text = header;
    for (std::size_t number = 0; number < kRecords; ++number) text += (number > 0 ? ",\n  " : "\n  ") + Record(number);
    return text + trailer;
  }
  std::string other = "assistant";
};

void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.format << " " << sample.header; }

std::vector<Sample> Samples() {
  return {
      {"gemini", "session-2026-04-29T21-39-5d3e8e0c.json",
       R"({"sessionId":"s","projectHash":"h","startTime":"2026-04-29T21:39:22.319Z","messages":[)",
       R"({{"id":"m{n}","timestamp":"2026-04-29T21:39:33.155Z","type":"{role}","content":"text {n}"}})",
       "\n ],\"summary\":\"s\"}\n", "gemini"},
      {"opencode", "export.json", R"({"info":{"id":"s","title":"t"},"messages":[)",
       R"({{"info":{{"id":"m{n}","role":"{role}"}},"parts":[{{"type":"text","text":"text {n}"}}]}})", "]}"},
      {"anthropic", "request.json", R"({"model":"m","messages":[)",
       R"({{"role":"{role}","content":[{{"type":"text","text":"text {n}"}}]}})", "],\"max_tokens\":7}"},
      {"anthropic", "response.json", R"({"id":"msg_1","type":"message","role":"assistant","content":[)",
       R"({{"type":"text","text":"text {n}"}})", R"(],"usage":{"input_tokens":1}})"},
      {"openai", "chat.json", "[", R"({{"role":"{role}","content":"text {n}"}})", "]\n"},
      {"openai", "items.json", R"({"input":[)",
       R"({{"type":"message","role":"user","content":[{{"type":"input_text","text":"text {n}"}}]}})", "]}"},
      {"ui-messages", "ui.json", "[",
       R"({{"id":"m{n}","role":"{role}","parts":[{{"type":"text","text":"text {n}"}}]}})", "]"},
      {"model-messages", "model.json", R"({"prompt":[)",
       R"({{"role":"{role}","content":[{{"type":"text","text":"text {n}"}}]}})", "]}"},
  };
}

// The texts of the samples that were read, the numbers of their records.
std::set<std::size_t> Found(const ReadSource& read) {
  std::set<std::size_t> found;
  for (const auto& [name, conversation] : read.conversations) {
    for (const Event& event : conversation.events) {
      const auto* request = std::get_if<ChatRequest>(&event.body);
      const auto* response = std::get_if<ChatResponse>(&event.body);
      const std::string text = request != nullptr ? request->content : response != nullptr ? response->content : "";
      for (std::size_t number = 0; number < kRecords; ++number) {
        if (text == fmt::format("text {}", number)) found.insert(number);
      }
    }
  }
  return found;
}

class DamagedDocument : public ::testing::TestWithParam<Sample> {
 protected:
  // Nothing is lost, and what cannot be read is reported.
  static std::set<std::size_t> Read(const std::string& text) {
    ReadSource read = ReadFiles(*FindFormat(GetParam().format), {{GetParam().file, text}});
    EXPECT_EQ(read.only().written, text);
    EXPECT_TRUE(read.taken == text.size() || !read.problems.empty()) << text;
    return Found(read);
  }
};
INSTANTIATE_TEST_SUITE_P(Samples, DamagedDocument, ::testing::ValuesIn(Samples()));

TEST_P(DamagedDocument, WithAnyByteChangedLosesOnlyTheRecordThere) {
  const std::string text = GetParam().Text();
  ASSERT_THAT(Read(text), SizeIs(kRecords));
  for (std::size_t at = GetParam().header.size(); at < text.size(); at += kByteStep) {
    std::set<std::size_t> others;
    for (std::size_t number = 0; number < kRecords; ++number) {
      const std::string record = GetParam().Record(number);
      const std::size_t begin = text.find(record);
      if (at < begin || at >= begin + record.size()) others.insert(number);
    }
    for (const char letter : {'"', '}', ',', '\0'}) {
      std::string damaged = text;
      damaged[at] = letter;
      ASSERT_THAT(others, IsSubsetOf(Read(damaged))) << at << letter << "\n" << damaged;
    }
  }
}

TEST_P(DamagedDocument, CutAtAnyByteSaysSoAndLosesOnlyTheRecordThere) {
  const std::string text = GetParam().Text();
  const std::size_t end = text.find_last_not_of('\n') + 1;
  for (std::size_t size = GetParam().header.size(); size < end; size += kByteStep) {
    const std::string cut = text.substr(0, size);
    ReadSource read = ReadFiles(*FindFormat(GetParam().format), {{GetParam().file, cut}});
    std::set<std::size_t> whole;
    for (std::size_t number = 0; number < kRecords; ++number) {
      if (cut.contains(GetParam().Record(number))) whole.insert(number);
    }
    ASSERT_EQ(Found(read), whole) << cut;
    ASSERT_EQ(read.only().written, cut);
    ASSERT_THAT(read.problems, ElementsAre(HasSubstr("incomplete"))) << cut;
  }
}

TEST_P(DamagedDocument, WithADamagedHeaderHasItsRecords) {
  Sample sample = GetParam();
  const std::size_t quote = sample.header.find('"');
  sample.header[quote == std::string::npos ? 0 : quote] = '\0';
  const std::set<std::size_t> found = Read(sample.Text());
  // Blocks are told from parts of messages by what the header says.
  EXPECT_THAT(found, SizeIs(sample.file == "response.json" ? 0 : kRecords));
}

// Whatever a user names it, if it is that.
TEST_P(DamagedDocument, IsStillOfItsFormat) {
  const Sample& sample = GetParam();
  const Format& format = *FindFormat(sample.format);
  const std::string text = sample.header + "\n" + sample.Record(0) + sample.trailer;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    ASSERT_FALSE(FindWrongFormat(format, {sample.file, text.substr(0, at)})) << text.substr(0, at);
    for (const char letter : {'"', '}', ',', ' ', 'x', '\0'}) {
      std::string damaged = text;
      if (at < text.size()) damaged[at] = letter;
      ASSERT_FALSE(FindWrongFormat(format, {sample.file, damaged})) << damaged;
    }
  }
}

class DamagedDocumentImport : public ImportTest {
 protected:
  ImportReport Auto() {
    const std::vector<std::filesystem::path> paths{dir_ / "in"};
    return Must(Import(*log_, "auto", paths));
  }
  std::string Raw() {
    const std::vector<ConversationId> ids = All();
    EXPECT_EQ(ids.size(), 1U);
    return ExportRawText("gemini", ids.front().text());
  }
  static void ExpectThatBytesAddUp(const ImportReport& report, std::size_t size) {
    ASSERT_THAT(report.bytes, SizeIs(1));
    const ImportedBytes& bytes = report.bytes[0];
    EXPECT_EQ(bytes.size, size);
    EXPECT_EQ(bytes.imported + bytes.kept_raw + bytes.unreadable, size);
    EXPECT_GT(bytes.imported, size / 2);
    EXPECT_GT(bytes.unreadable, 0U);
  }

  const Sample gemini_ = Samples().front();
};

TEST_F(DamagedDocumentImport, IsRecognisedAndReportsTheDamage) {
  std::string text = gemini_.Text();
  const std::size_t quote = text.find("text 0") + 6;
  text[quote] = '!';
  Write("in/" + gemini_.file, text);
  const ImportReport report = Auto();
  EXPECT_EQ(report.added, 1U);
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].code, ImportProblemCode::kQuarantined);
  EXPECT_EQ(report.problems[0].line, 2U);
  EXPECT_EQ(report.problems[0].byte, text.find(R"({"id":"m0")"));
  ExpectThatBytesAddUp(report, text.size());
  EXPECT_EQ(Raw(), text);
  EXPECT_EQ(Auto().unchanged, 1U);
}

TEST_F(DamagedDocumentImport, ComesInWholeOnceItIsWhole) {
  const std::string text = gemini_.Text();
  const std::string cut = text.substr(0, text.find("text 3"));
  Write("in/" + gemini_.file, cut);
  const ImportReport report = Auto();
  EXPECT_THAT(report.problems, ElementsAre(Field(&ImportProblem::code, ImportProblemCode::kIncomplete)));
  ExpectThatBytesAddUp(report, cut.size());
  EXPECT_EQ(Raw(), cut);
  Write("in/" + gemini_.file, text);
  const ImportReport again = Auto();
  EXPECT_EQ(again.extended, 1U);
  EXPECT_THAT(again.problems, IsEmpty());
  EXPECT_EQ(Raw(), text);
}

}  // namespace
}  // namespace turnlog::document_damage_test
