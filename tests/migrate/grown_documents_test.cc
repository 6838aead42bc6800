// Documents that are one record, and that their tool writes anew as the conversation goes on.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "migrate/logged/import_record.h"
#include "migrate/records/record_events.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/support/fake_token.h"
#include "tests/support/must.h"
#include "turnlog/redaction/redact.h"

namespace turnlog::grown_documents_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Call(std::string_view id) {
  return fmt::format(R"({{"type":"function_call","call_id":"{}","name":"pay","arguments":"{{}}"}})", id);
}

std::string CallItem(std::string_view id) {
  return fmt::format(R"({{"type":"tool_call_item","raw_item":{}}})", Call(id));
}

std::string ApprovalItem(std::string_view id) {
  return fmt::format(R"({{"type":"tool_approval_item","tool_name":"pay","raw_item":{}}})", Call(id));
}

std::string ResultItem(std::string_view id, std::string_view text) {
  return fmt::format(
      R"({{"type":"tool_call_output_item","raw_item":{{"type":"function_call_output","call_id":"{}","output":"{}"}}}})",
      id, text);
}

std::string Answer(std::string_view text) {
  return fmt::format(R"({{"type":"message_output_item","raw_item":{{"role":"assistant","content":"{}"}}}})", text);
}

const std::vector<std::string> kAsks{CallItem("c1"), CallItem("c2"), ApprovalItem("c1"), ApprovalItem("c2")};

class GrownDocumentsTest : public ImportTest {
 protected:
  static std::string Text(const std::vector<std::string>& items, std::string_view decided = "{}",
                          std::string_view prompt = "Pay twice") {
    return fmt::format(
        R"({{"$schemaVersion":"1.5","original_input":"{}","context":{{"approvals":{{"pay":{}}}}},"session_items":[{}]}})",
        prompt, decided, fmt::join(items, ","));
  }
  // `decided`: about the calls, as JSON.
  ImportReport Import(const std::vector<std::string>& items, std::string_view decided = "{}",
                      std::string_view prompt = "Pay twice", const ImportOptions& options = {}) {
    text_ = Text(items, decided, prompt);
    const std::vector<std::filesystem::path> paths{Write("run.json", text_)};
    return Must(turnlog::Import(*log_, "openai-agents", paths, options));
  }
  // Besides import records and revisions.
  std::vector<std::string> Shown() {
    std::vector<std::string> shown;
    for (const std::string& shape : Shapes(Events("run"))) {
      if (shape != "import" && shape != "foreign") shown.push_back(shape);
    }
    return shown;
  }
  void ExpectTheDocument() { EXPECT_EQ(ExportRawText("openai-agents", "run"), text_); }

  // A tool cuts texts within a surrogate pair. `text`: of what is there first.
  void ExpectTextThatIsNotValid(std::string_view text) {
    const std::vector<std::string> first{CallItem("c1"), Answer(text)};
    Import(first);
    ExpectTheDocument();
    const std::size_t shown = Shown().size();
    const std::vector<std::string> done{first[0], first[1], ResultItem("c1", kCut)};
    for (const char* decided : {"{}", R"({"approved":["c9"]})"}) {
      EXPECT_THAT(Import(done, decided).problems, IsEmpty());
      ExpectTheDocument();
      EXPECT_THAT(Shown(), SizeIs(shown + 1));
      EXPECT_EQ(Import(done, decided).events, 0U);
    }
  }

  static constexpr const char* kCut = R"(cut \ud83d)";
  std::string text_;  // of the document
};

TEST_F(GrownDocumentsTest, AddWhatIsDecidedInAnyOrder) {
  Import(kAsks);
  const std::size_t asked = Shown().size();
  for (const char* decided : {R"({"approved":["c2"]})", R"({"approved":["c2"],"rejected":["c1"]})"}) {
    const ImportReport report = Import(kAsks, decided);
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_THAT(report.notes, IsEmpty());
    ExpectTheDocument();
  }
  const std::vector<std::string> shown = Shown();
  ASSERT_EQ(shown.size(), asked + 2);
  EXPECT_THAT(shown[asked], AllOf(HasSubstr("c2.approval.1"), HasSubstr(R"("answer":true)")));
  EXPECT_THAT(shown[asked + 1], AllOf(HasSubstr("c1.approval.1"), HasSubstr(R"("answer":false)")));
}

TEST_F(GrownDocumentsTest, GoOnWithoutTheirApprovalItems) {
  Import(kAsks, R"({"approved":["c1"]})");
  const std::size_t decided = Shown().size();
  const std::vector<std::string> done{CallItem("c1"), CallItem("c2"), ResultItem("c1", "paid"), ResultItem("c2", "too"),
                                      Answer("Done.")};
  const ImportReport report = Import(done, R"({"approved":["c1","c2"]})");
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(report.notes, IsEmpty());
  const std::vector<std::string> shown = Shown();
  ASSERT_EQ(shown.size(), decided + 3) << "and not the prompt and the calls again";
  EXPECT_THAT(shown[decided], HasSubstr("paid"));
  EXPECT_THAT(shown[decided + 2], HasSubstr("Done."));
  ExpectTheDocument();
  const std::string all = ExportToJsonl({Id("run")});
  EXPECT_EQ(Import(done, R"({"approved":["c1","c2"]})").unchanged, 1U);
  EXPECT_EQ(ExportToJsonl({Id("run")}), all);
}

TEST_F(GrownDocumentsTest, AreRefusedIfTheyHaveBecomeOtherOnes) {
  Import(kAsks, R"({"approved":["c1"]})");
  const std::string before = ExportToJsonl({Id("run")});
  const auto refused = [](const ImportReport& report) {
    return report.problems.size() == 1 && report.problems.front().code == ImportProblemCode::kChanged;
  };
  EXPECT_TRUE(refused(Import(kAsks, R"({"rejected":["c1"]})"))) << "another decision";
  EXPECT_TRUE(refused(Import(kAsks, R"({"approved":["c1"]})", "Pay thrice"))) << "another run";
  EXPECT_TRUE(refused(Import({Answer("Hm."), kAsks[0], kAsks[1], Answer("Well.")}, R"({"approved":["c1"]})", "Pay")));
  EXPECT_EQ(ExportToJsonl({Id("run")}), before);
}

TEST_F(GrownDocumentsTest, LoseNothingInTheLog) {
  Import({Answer("One."), CallItem("c1"), Answer("Two.")});
  const std::vector<std::string> before = Shown();
  EXPECT_THAT(Import({CallItem("c1"), Answer("Two.")}).notes,
              ElementsAre(Field(&ImportProblem::code, ImportProblemCode::kShrunk)));
  EXPECT_EQ(Shown(), before);
  EXPECT_THAT(Import({Answer("One."), CallItem("c1")}).notes,
              ElementsAre(Field(&ImportProblem::code, ImportProblemCode::kShrunk)));
  EXPECT_EQ(Shown(), before);
  ExpectTheDocument();
}

TEST_F(GrownDocumentsTest, GrowWithoutTheirSecrets) {
  const ImportOptions redact{.progress = {}, .detect = SecretDetection::kRedact};
  Import(kAsks, "{}", "Pay with " + kFakeToken, redact);
  const std::size_t asked = Shown().size();
  const ImportReport report = Import(kAsks, R"({"approved":["c2"]})", "Pay with " + kFakeToken, redact);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(Import(kAsks, R"({"approved":["c1","c2"]})", "Pay with " + kFakeToken, redact).problems, IsEmpty());
  EXPECT_THAT(Shown(), SizeIs(asked + 2));
  EXPECT_FALSE(IsStored(kFakeToken));
}

TEST_F(GrownDocumentsTest, BringNothingBackThatWasRedacted) {
  const std::string value = std::string("Kq7v-rather") + "Secret!9x";
  Import(kAsks, "{}", "Pay with " + value);
  RedactionTargets targets;
  targets.values = {value};
  auto redaction = Must(Redaction::Plan(*log_, targets));
  ASSERT_TRUE(redaction->Apply("tester"));
  const std::size_t asked = Shown().size();
  EXPECT_THAT(Import(kAsks, R"({"approved":["c2"]})", "Pay with " + value).problems, IsEmpty());
  EXPECT_THAT(Import(kAsks, R"({"approved":["c1","c2"]})", "Pay with " + value).problems, IsEmpty());
  EXPECT_THAT(Shown(), SizeIs(asked + 2));
  EXPECT_FALSE(IsStored(value));
}

// What repeats a redacted value comes in without it, and is known again.
TEST_F(GrownDocumentsTest, GrowAfterTheyHaveRepeatedWhatWasRedacted) {
  const std::string value = std::string("Kq7v-rather") + "Secret!9x";
  Import({CallItem("c1")}, "{}", "Pay with " + value);
  RedactionTargets targets;
  targets.values = {value};
  auto redaction = Must(Redaction::Plan(*log_, targets));
  ASSERT_TRUE(redaction->Apply("tester"));
  const std::string repeats = Answer("Paid with " + value), result = ResultItem("c1", "charged " + value);
  EXPECT_THAT(Import({CallItem("c1"), result, repeats}, "{}", "Pay with " + value).problems, IsEmpty());
  const std::size_t shown = Shown().size();
  const std::vector<std::string> more{CallItem("c1"), result, repeats, Answer("Done.")};
  EXPECT_THAT(Import(more, "{}", "Pay with " + value).problems, IsEmpty());
  EXPECT_THAT(Shown(), SizeIs(shown + 1));
  // Not in the order of the log.
  const std::vector<std::string> asked{CallItem("c1"), ApprovalItem("c1"), result, repeats, Answer("Done.")};
  EXPECT_THAT(Import(asked, "{}", "Pay with " + value).problems, IsEmpty());
  EXPECT_THAT(Shown(), SizeIs(shown + 2));
  EXPECT_FALSE(IsStored(value));
}

// As those are that were read while they were written.
TEST_F(GrownDocumentsTest, AreReadAgainWhenTheyAreWhole) {
  const auto damage = Field(&ImportProblem::code, ImportProblemCode::kIncomplete);
  const auto import = [&](std::string_view text) {
    const std::vector<std::filesystem::path> paths{Write("run.json", text)};
    return Must(turnlog::Import(*log_, "openai-agents", paths));
  };
  const std::string_view torn = R"({"$schemaVersion":"1.5","original_input":"Pay)";
  EXPECT_THAT(import(torn).problems, ElementsAre(damage));
  EXPECT_EQ(ExportRawText("openai-agents", "run"), torn);
  EXPECT_THAT(Import(kAsks).problems, IsEmpty());
  ExpectTheDocument();
  for (const std::string& text : {text_.substr(0, 60), std::string(5, '\0') + text_}) {
    EXPECT_THAT(import(text).problems, ElementsAre(damage));
    EXPECT_THAT(Import(kAsks).problems, IsEmpty());
    ExpectTheDocument();
  }
  EXPECT_THAT(Shown(), Contains(HasSubstr("Pay twice")));
  EXPECT_THAT(Import(kAsks, R"({"approved":["c2"]})").problems, IsEmpty());
  EXPECT_THAT(Import(kAsks, R"({"approved":["c1","c2"]})").problems, IsEmpty());
  EXPECT_THAT(Said("run"), SizeIs(1));
  ExpectTheDocument();
}

// As by an earlier version of turnlog, which understood nothing of it.
class DocumentKeptWholeTest : public GrownDocumentsTest {
 protected:
  DocumentKeptWholeTest() {
    text_ = Text(kAsks);
    RecordEvents events;
    events.Begin("openai-agents", text_, {});
    events.KeepAsForeign({}, false);
    const ImportRecord record{.format = "openai-agents",
                              .source = "run.json",
                              .events = 1,
                              .fingerprint = {},
                              .redacted_parts = {},
                              .parts = {},
                              .same_parts = {}};
    Append("run", MakeImportEvent(record));
    Append("run", events.events().front());
  }
};

// Nothing was understood of text that is not valid: the log has only that.
TEST_F(DocumentKeptWholeTest, IsRefusedIfItsTextWasNotValidAndIsAnotherOneNow) {
  const std::vector<std::string> first{CallItem("c1"), Answer(kCut)};
  TempStore other, old;
  std::swap(other.log, log_);
  Import(first);
  const std::vector<Event> now = Events("run");
  std::swap(old.log, log_);
  const ImportRecord record{.format = "openai-agents",
                            .source = "run.json",
                            .events = 1,
                            .fingerprint = {},
                            .redacted_parts = {},
                            .parts = {},
                            .same_parts = {}};
  Append("run", MakeImportEvent(record));
  Append("run", now.at(1));
  ExpectTheDocument();
  EXPECT_THAT(Import(first).problems, IsEmpty());
  ExpectTheDocument();
  const std::string before = text_;
  EXPECT_THAT(Import({first[0], first[1], Answer("more")}).problems, SizeIs(1));
  text_ = before;
  ExpectTheDocument();
  std::swap(old.log, log_);
  std::swap(other.log, log_);
}

TEST_F(DocumentKeptWholeTest, GetsItsEventsAfterIt) {
  ExpectTheDocument();
  EXPECT_THAT(Import(kAsks).problems, IsEmpty());
  const std::vector<std::string> shown = Shown();
  EXPECT_THAT(shown, ElementsAre(HasSubstr("turn_start"), HasSubstr("Pay twice"), HasSubstr("c1"), HasSubstr("c2"),
                                 HasSubstr("c1.approval.1"), HasSubstr("c2.approval.1")));
  ExpectTheDocument();
  const std::string all = ExportToJsonl({Id("run")});
  EXPECT_EQ(Import(kAsks).events, 0U);
  EXPECT_EQ(ExportToJsonl({Id("run")}), all);

  EXPECT_THAT(Import(kAsks, R"({"approved":["c2"]})").problems, IsEmpty());
  EXPECT_THAT(Shown(), SizeIs(shown.size() + 1));
  ExpectTheDocument();
}

TEST_F(DocumentKeptWholeTest, GetsTheEventsThatItHasGotMeanwhile) {
  const std::vector<std::string> more{kAsks[0], ResultItem("c1", "paid"), Answer("Done.")};
  EXPECT_THAT(Import(more).problems, IsEmpty());
  EXPECT_THAT(Shown(), SizeIs(5));
  ExpectTheDocument();
  EXPECT_EQ(Import(more).events, 0U);
}

TEST_F(DocumentKeptWholeTest, BringsNothingBackThatWasRedacted) {
  RedactionTargets targets;
  targets.values = {"Pay twice"};
  auto redaction = Must(Redaction::Plan(*log_, targets));
  ASSERT_TRUE(redaction->Apply("tester"));
  EXPECT_THAT(Import(kAsks).problems, IsEmpty());
  EXPECT_THAT(Import(kAsks, R"({"approved":["c2"]})").problems, IsEmpty());
  EXPECT_FALSE(IsStored("Pay twice"));
}

TEST_F(GrownDocumentsTest, MayHaveTextThatIsNotValid) { ExpectTextThatIsNotValid(kCut); }

TEST_F(GrownDocumentsTest, MayGetTextThatIsNotValid) { ExpectTextThatIsNotValid("whole"); }

}  // namespace
}  // namespace turnlog::grown_documents_test
