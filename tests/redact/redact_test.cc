// What is found, how it is redacted, and what is left on disk.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "sanitize/redaction/redaction_record.h"
#include "sanitize/redaction/redaction_sources.h"
#include "sanitize/secrets/secret_detector.h"
#include "tests/redact/redact_fixture.h"
#include "turnlog/edited_arguments.h"
#include "turnlog/event_json.h"
#include "turnlog/maintenance.h"

namespace turnlog::redact_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::string> PlacesOf(const std::vector<ValueLocation>& places) {
  std::vector<std::string> texts;
  texts.reserve(places.size());
  for (const ValueLocation& place : places) {
    texts.push_back(fmt::format("{}{} {} {}", place.file, place.conversation, place.seq.value, place.field));
  }
  return texts;
}

// --- Places and encodings ---

TEST_F(RedactTest, AValueIsRedactedInEveryFieldOfEveryKind) {
  const std::vector<Event> events = Everywhere(value_);
  Must(Append("c", events));
  ASSERT_THAT(FilesWith(path(), value_), Not(IsEmpty()));
  const RedactionReceipt receipt = Redact(Given({value_}));
  EXPECT_TRUE(receipt.clean());
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
  ASSERT_THAT(receipt.conversations, SizeIs(1));
  EXPECT_THAT(receipt.conversations[0].events, SizeIs(events.size()));
  const std::vector<Event> now = RawEvents(*log_, "c");
  ASSERT_EQ(now.size(), events.size() + 1);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(now[i].kind(), events[i].kind());
    EXPECT_EQ(now[i].timestamp, events[i].timestamp);
    EXPECT_EQ(now[i].event_id, events[i].event_id);
    EXPECT_THAT(ToJson(View(now[i])), AllOf(Not(HasSubstr("Secret")), HasSubstr("[redacted]")));
  }
}

TEST_F(RedactTest, AValueGoesInEveryEncoding) {
  const std::vector<std::string> texts = Encoded(value_);
  for (const std::string& text : texts) {
    Must(Append("c", Say("before " + text + " behind")));
    Event call;
    call.body = ToolCallRequest{
        .id = "c", .name = "t", .arguments = Json::FromTrusted("{\"a\":" + JsonString(text).text() + "}")};
    Must(Append("c", call));
  }
  EXPECT_TRUE(Redact(Given({value_})).clean());
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
  const std::vector<std::string> lines = Json("c");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_THAT(lines[2 * i], AllOf(HasSubstr("before "), HasSubstr("[redacted]"))) << i;
    EXPECT_THAT(lines[2 * i + 1], HasSubstr(R"({"a":"[redacted]"})")) << i;
  }
}

TEST_F(RedactTest, EveryEncodingIsRedactedInEveryField) {
  const std::vector<std::string> texts = Encoded(value_);
  for (std::size_t i = 0; i < texts.size(); ++i) Must(Append(fmt::format("c{}", i), Everywhere(texts[i])));
  const RedactionReceipt receipt = Redact(Given({value_}));
  EXPECT_TRUE(receipt.clean());
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
  ASSERT_THAT(receipt.conversations, SizeIs(texts.size()));
  for (const RedactedConversation& conversation : receipt.conversations) {
    EXPECT_THAT(conversation.events, SizeIs(Everywhere("x").size()));
  }
}

TEST_F(RedactTest, TextAroundAValueStays) {
  Must(Append("c", FromJson(R"({"type":"tool_call_request","id":"1","name":"t","arguments":{"n":1e2,"a":"\u0041 )" +
                            value_ + R"( \n"},"metadata":{"k":[null,true]}})")));
  Redact(Given({value_}));
  EXPECT_EQ(Json("c").front(),
            R"({"type":"tool_call_request","id":"1","name":"t","arguments":{"n":1e2,"a":"\u0041 [redacted] \n"},)"
            R"("metadata":{"k":[null,true]}})");
}

TEST_F(RedactTest, OldSegmentsAreCleanedAsWellAsTheNewestOne) {
  for (int i = 0; i < 200; ++i) {
    Must(Append(fmt::format("c{}", i % 3),
                Say(fmt::format("{} {} {}", i, i % 7 == 0 ? value_ : "", std::string(30'000, 'x')))));
  }
  ASSERT_GT(Figure(*log_, "segments"), 3U);
  const RedactionReceipt receipt = Redact(Given({value_}));
  EXPECT_TRUE(receipt.clean());
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
  Reopen();
  EXPECT_THAT(Json("c0")[0], HasSubstr("0 [redacted] xxx"));
  EXPECT_TRUE(Must(VerifyStore(path())).clean());
}

TEST_F(RedactTest, SeveralValuesGoAtOnceAndEachHasItsOwnMark) {
  Must(Append("c", Say(value_ + " and " + other_)));
  Redact(Given({value_, other_}));
  EXPECT_EQ(Json("c").front(), R"({"type":"chat_request","content":"[redacted] and [redacted]"})");
}

// --- Where values come from ---

TEST_F(RedactTest, AnswersToSecretQuestionsBecomeRedacted) {
  Must(Append("c", LeakedAnswer("call.token", value_)));
  Must(Append("c", {Say("thanks for " + value_), NewTurn(), Answered("call.token", "not a secret in this turn")}));
  const RedactionReceipt receipt = Redact(Secrets());
  EXPECT_TRUE(receipt.clean());
  EXPECT_THAT(receipt.rules, ElementsAre("secret-answer"));
  const std::vector<std::string> lines = Json("c");
  EXPECT_EQ(lines[1], R"({"type":"inquiry_response","outcome":"redacted","id":"call.token"})");
  EXPECT_EQ(lines[3], R"({"type":"chat_request","content":"thanks for [redacted]"})");
  EXPECT_THAT(lines[5], HasSubstr("not a secret in this turn"));
  EXPECT_THAT(FilesWith(path(), value_), IsEmpty());
}

TEST_F(RedactTest, WhoAnsweredASecretStaysOnRecordUnlessThatHoldsIt) {
  std::vector<Event> events = LeakedAnswer("call.token", value_);
  std::get<InquiryResponse>(events[1].body).responder = Responder{"user", value_, "ann", "page", {}};
  Must(Append("c", events));
  Redact(Secrets());
  EXPECT_EQ(Json("c")[1], R"({"type":"inquiry_response","outcome":"redacted","id":"call.token",)"
                          R"("responder":{"kind":"user","model":"[redacted]","who":"ann","via":"page"}})");
}

TEST_F(RedactTest, TheDefaultOfASecretQuestionIsASecretUntilItIsRedacted) {
  SecretValues values;
  std::vector<UnsearchedValue> unsearched;
  const auto find = [&](std::string_view usual) {
    Event asks = AskSecret(Opaque("q"));
    std::get<InquiryRequest>(asks.body).question.default_value = JsonString(usual);
    SourceFinder finder("c", {.secrets = true}, values, unsearched);
    finder.Add(Seq{1}, View(asks));
    return finder.Take().size();
  };
  EXPECT_EQ(find("[redacted]"), 0U);
  EXPECT_EQ(find(value_), 1U);
  EXPECT_EQ(values.size(), 1U);
}

TEST_F(RedactTest, AnAnswerThatIsNoStringGoesAsItsTextAndItsStrings) {
  std::vector<Event> events = LeakedAnswer("q", "");
  std::get<InquiryResponse>(events[1].body).answer =
      Must(ParseJson(fmt::format(R"({{"user": "{}", "keys": ["{}", 7]}})", value_, other_)));
  Must(Append("c", events));
  Must(Append("c", {Say(value_), Say(other_), Say(R"(user keys 7)")}));
  Redact(Secrets());
  const std::vector<std::string> lines = Json("c");
  EXPECT_THAT(lines[1], HasSubstr("redacted"));
  EXPECT_THAT(lines[3], HasSubstr("[redacted]"));
  EXPECT_THAT(lines[4], HasSubstr("[redacted]"));
  EXPECT_THAT(lines[5], HasSubstr("user keys 7"));
}

TEST_F(RedactTest, WhatIsFoundInTheLastConversationIsLookedForInTheFirst) {
  Must(Append("a", Say("echo " + value_)));
  Must(Append("z", LeakedAnswer("q", value_)));
  EXPECT_TRUE(Redact(Secrets()).clean());
  EXPECT_THAT(Json("a").front(), HasSubstr("echo [redacted]"));
}

TEST_F(RedactTest, AnInquiryIsNamedByIdTurnAndConversation) {
  for (const char* name : {"a", "b"}) {
    Must(Append(name, {NewTurn(), Ask(Opaque("q")), Answered("q", std::string("first-answer-") + name), NewTurn(),
                       Ask(Opaque("q")), Answered("q", std::string("second-answer-") + name)}));
  }
  RedactionTargets targets;
  targets.inquiries = {{.id = "q", .turn = Turn{2}, .conversation = Id("a")}};
  Redact(targets);
  EXPECT_THAT(Json("a")[2], HasSubstr("first-answer"));
  EXPECT_EQ(Json("a")[5], R"({"type":"inquiry_response","outcome":"redacted","id":"q"})");
  EXPECT_THAT(Json("b")[5], HasSubstr("second-answer-b"));
  targets.inquiries = {{.id = "q", .turn = {}, .conversation = {}}};
  EXPECT_THAT(Redact(targets).rules, ElementsAre("inquiry-answer"));
  EXPECT_THAT(Json("a"), Not(Contains(HasSubstr("answer-"))));
  EXPECT_THAT(Json("b"), Not(Contains(HasSubstr("answer-"))));
}

TEST_F(RedactTest, EditedArgumentsGoWithTheAnswer) {
  std::vector<Event> events{NewTurn(), Ask(Opaque("q")), Answered("q", "x")};
  std::get<InquiryResponse>(events[2].body).answer = Must(ParseJson("false"));
  events[2].metadata = EditedArgumentsMetadata("rm", Must(ParseJson(R"({"path":"private"})")));
  Must(Append("a", events));
  RedactionTargets targets;
  targets.inquiries = {{.id = "q", .turn = {}, .conversation = {}}};
  Redact(targets);
  EXPECT_EQ(Json("a")[2], R"({"type":"inquiry_response","outcome":"redacted","id":"q"})");
}

TEST_F(RedactTest, AnUnknownInquiryIsAnError) {
  Must(Append("a", {NewTurn(), Ask(Opaque("q"))}));
  RedactionTargets targets;
  targets.inquiries = {{.id = "p", .turn = {}, .conversation = {}}};
  EXPECT_EQ(CodeOf(Redaction::Plan(*log_, targets)), "not found");
  targets.inquiries = {{.id = "q", .turn = Turn{3}, .conversation = {}}};
  EXPECT_EQ(CodeOf(Redaction::Plan(*log_, targets)), "not found");
  targets.inquiries = {{.id = "q", .turn = {}, .conversation = {}}};
  EXPECT_THAT(Plan(targets).conversations, IsEmpty());
}

TEST_F(RedactTest, DetectedSecretsAreRedactedInAllOccurrences) {
  const std::string token = std::string("gh") + "p_" + "Zr8Qw3Lk5Vn1Xc7Jm2Tb9Hd4Fg6Ys0PaEuRi";
  Must(Append("a", Say("no context here: " + Base64(token))));
  Must(Append("b",
              FromJson(fmt::format(
                  R"({{"type":"tool_call_request","id":"1","name":"t","arguments":{{"env":"GITHUB={}"}}}})", token))));
  RedactionTargets targets;
  targets.detect = true;
  const RedactionReceipt receipt = Redact(targets);
  EXPECT_TRUE(receipt.clean());
  EXPECT_THAT(receipt.rules, ElementsAre("github-token"));
  EXPECT_THAT(Json("a").front(), HasSubstr("here: [redacted]"));
  EXPECT_THAT(Json("b").front(), HasSubstr("GITHUB=[redacted]"));
  EXPECT_THAT(Plan(targets).conversations, IsEmpty());
}

TEST_F(RedactTest, RulesOfAFileDetect) {
  std::ofstream(folder_ / "rules.json")
      << R"x({"version":1,"rules":[{"id":"badge","description":"d","regex":"badge:([0-9]{9})","keywords":["badge"]}]})x";
  Must(Append("a", Say("badge:271828182")));
  RedactionTargets targets;
  targets.detect = true;
  targets.rules = folder_ / "rules.json";
  Redact(targets);
  EXPECT_THAT(Json("a").front(), HasSubstr("badge:[redacted]"));
  targets.rules = "/nowhere";
  EXPECT_EQ(CodeOf(Redaction::Plan(*log_, targets)), "not found");
}

TEST_F(RedactTest, ACommonPasswordIsRedactedOnlyWhereItWasDetected) {
  std::ofstream(folder_ / "rules.json")
      << R"x({"version":1,"rules":[{"id":"pin","description":"d","regex":"pin is ([a-z0-9]+)","keywords":["pin is"]}]})x";
  Must(Append("a", {Say("my pin is password, and password is a word"), Say("password")}));
  RedactionTargets targets;
  targets.detect = true;
  targets.rules = folder_ / "rules.json";
  const RedactionReceipt receipt = Redact(targets);
  EXPECT_TRUE(receipt.clean());
  EXPECT_EQ(receipt.unsearched, 1U);
  EXPECT_THAT(Json("a")[0], HasSubstr("my pin is [redacted], and password is a word"));
  EXPECT_THAT(Json("a")[1], HasSubstr("password"));
  EXPECT_THAT(Plan(targets).conversations, IsEmpty());
}

// --- Values that are not looked for ---

TEST_F(RedactTest, AShortAnswerIsRedactedOnlyInItsOwnEvent) {
  Must(Append("c", LeakedAnswer("pin", "4711")));
  Must(Append("c", Say("it took 4711 ms")));
  const RedactionReceipt receipt = Redact(Secrets());
  EXPECT_TRUE(receipt.clean());
  EXPECT_EQ(receipt.unsearched, 1U);
  EXPECT_EQ(receipt.sources, 1U);
  EXPECT_THAT(Json("c")[1], HasSubstr("\"redacted\""));
  EXPECT_THAT(Json("c")[3], HasSubstr("4711 ms"));
}

TEST_F(RedactTest, TheReasonWhyAValueIsNotSearchedDoesNotQuoteIt) {
  Must(Append("c", LeakedAnswer("pin", "4711")));
  RedactionTargets targets = Given({value_, "abc", "password"});
  targets.secrets = true;
  const RedactionPlan plan = Plan(targets);
  EXPECT_EQ(plan.values, 1U);
  ASSERT_THAT(plan.unsearched, SizeIs(3));
  EXPECT_EQ(plan.unsearched[0].index, 1U);
  EXPECT_EQ(plan.unsearched[0].reason, "shorter than 6 bytes");
  EXPECT_EQ(plan.unsearched[1].index, 2U);
  EXPECT_EQ(plan.unsearched[1].reason, "a common word");
  EXPECT_EQ(plan.unsearched[2].conversation, "c");
  EXPECT_EQ(plan.unsearched[2].seq, Seq{2});
  EXPECT_EQ(plan.unsearched[2].rule, "secret-answer");
}

// --- What cannot be changed ---

TEST_F(RedactTest, IdsStayAndTheProofSaysWhere) {
  Must(Append("c", FromJson(fmt::format(R"({{"type":"chat_request","content":"x","event_id":"{}"}})", value_))));
  Must(Append("c",
              FromJson(fmt::format(R"({{"type":"tool_call_request","id":"{}","name":"t","arguments":{{"a":"{}"}}}})",
                                   value_, value_))));
  Must(Append("c", Ask(Opaque("call." + value_))));
  Must(Append("c", FromJson(fmt::format(R"({{"type":"{}","a":1}})", value_))));
  Must(Append("c", FromJson(fmt::format(R"({{"type":"other","event_id":"2 {}","a":"{}"}})", value_, value_))));
  Must(Append("c", FromJson(fmt::format(R"({{"type":"repair","profile":"p","head":1,"from":1,"to":1,"items":[
      {{"insert_after":1,"cause":1,"rule":"r","event":{{"type":"tool_call_response","id":"{}","content":"{}","is_error":true}}}}]}})",
                                        value_, value_))));
  Must(Append("named " + value_, Say("x")));
  const RedactionReceipt receipt = Redact(Given({value_}));
  EXPECT_FALSE(receipt.clean());
  EXPECT_THAT(
      PlacesOf(receipt.left),
      AllOf(Contains("c 1 event_id"), Contains("c 2 id"), Contains("c 3 id"), Contains("c 4 type"),
            Contains("c 5 event_id"), Contains("c 6 items.event.id"), Contains("named [redacted] 0 conversation"),
            Contains(HasSubstr("index 0 entry")), Contains(HasSubstr("log/0000000000000000.seg 0 "))));
  EXPECT_THAT(PlacesOf(receipt.left), Each(Not(HasSubstr(value_))));
  EXPECT_THAT(Json("c")[1], HasSubstr(R"("arguments":{"a":"[redacted]"})"));
  EXPECT_THAT(Json("c")[4], HasSubstr(R"("a":"[redacted]")"));
  const auto before = RawEvents(*log_, "c");
  EXPECT_FALSE(Redact(Given({value_})).clean());
  EXPECT_EQ(RawEvents(*log_, "c"), before) << "nothing more to write, although something is left";
}

TEST_F(RedactTest, ACopyLeftInTheFolderOfTheStoreIsFound) {
  Must(Append("c", Say(value_)));
  std::filesystem::create_directory(path() / "copies");
  std::ofstream(path() / "copies" / "plain") << "x" << value_;
  std::ofstream(path() / "copies" / "encoded") << Base64("some" + value_);
  std::ofstream(path() / "copies" / ("name of " + value_)) << "x";
  const RedactionReceipt receipt = Redact(Given({value_}));
  EXPECT_FALSE(receipt.clean());
  EXPECT_EQ(receipt.left_count, 3U);
  EXPECT_THAT(PlacesOf(receipt.left), AllOf(Contains("copies/plain 0 "), Contains("copies/encoded 0 "),
                                            Contains("copies/name of [redacted] 0 file name")));
}

TEST_F(RedactTest, WhatCannotBeSearchedIsNotProved) {
  Must(Append("c", Say(value_)));
  const auto redaction = Must(Redaction::Plan(*log_, Given({value_})));
  Must(redaction->Apply("tester"));
  for (const char* name : {"log", "index"}) {
    std::filesystem::rename(path() / name, folder_ / "elsewhere");
    std::filesystem::create_directory_symlink(folder_ / "elsewhere", path() / name);
    const RedactionReceipt receipt = Must(redaction->Prove());
    EXPECT_FALSE(receipt.clean());
    EXPECT_THAT(receipt.problems,
                AllOf(testing::Not(testing::IsEmpty()), testing::Each(testing::StartsWith(std::string(name) + ": "))));
    std::filesystem::remove(path() / name);
    std::filesystem::rename(folder_ / "elsewhere", path() / name);
  }
  EXPECT_TRUE(Must(redaction->Prove()).clean());
}

TEST_F(RedactTest, ACopyAcrossTheBordersOfWhatIsReadAtATimeIsFoundOnce) {
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  const std::string encoded = Base64("some" + value_);
  std::string text(3 * kPiece, '.');
  text.replace(kPiece - 5, value_.size(), value_);
  text.replace(2 * kPiece - 5, encoded.size(), encoded);
  std::ofstream(path() / "copy") << text;
  const RedactionReceipt receipt = Redact(Given({value_}));
  ASSERT_THAT(receipt.left, SizeIs(2));
  EXPECT_EQ(receipt.left[0].offset, kPiece - 5);
  EXPECT_EQ(receipt.left[1].offset, 2 * kPiece - 5);
}

TEST_F(RedactTest, AValueThatFillsManyPiecesIsFound) {
  std::string large;
  for (int i = 0; large.size() < 600'000; ++i) large += fmt::format("{:x}-", i * 7919);
  std::ofstream(path() / "copy") << std::string(3 << 20, '.') << large << "..";
  const RedactionReceipt receipt = Redact(Given({large}));
  ASSERT_THAT(receipt.left, SizeIs(1));
  EXPECT_EQ(receipt.left[0].offset, std::uint64_t{3} << 20);
}

// --- The record ---

TEST_F(RedactTest, OneRedactionEventNamesRulesAndSeqs) {
  Must(Append("c", {Say(value_), Say("x"), Say(value_), Say(value_)}));
  const RedactionReceipt receipt = Redact(Given({value_}));
  ASSERT_THAT(receipt.conversations, SizeIs(1));
  EXPECT_THAT(receipt.conversations[0].redactions, ElementsAre(Seq{5}));
  EXPECT_THAT(SeqsOf(receipt.conversations[0]), ElementsAre(1, 3, 4));
  const Event record = RawEvents(*log_, "c").back();
  EXPECT_EQ(record.kind(), EventKind::kRedaction);
  ASSERT_TRUE(record.timestamp);
  EXPECT_EQ(
      ToJson(View(record)),
      fmt::format(
          R"({{"type":"redaction","timestamp":"{}","by":"tester","events":3,"rules":[{{"rule":"given-value","events":3,"seqs":[[1,1],[3,4]]}}]}})",
          record.timestamp->ToRfc3339()));
}

TEST_F(RedactTest, WhoDidItIsNotWrittenIfThatIsAValue) {
  Must(Append("c", Say(value_)));
  const auto redaction = Must(Redaction::Plan(*log_, Given({value_})));
  Must(redaction->Apply("me, " + value_));
  EXPECT_TRUE(Must(redaction->Prove()).clean());
  EXPECT_THAT(Json("c").back(), HasSubstr(R"("by":"me, [redacted]")"));
}

TEST_F(RedactTest, TheReceiptSaysWhatWasRead) {
  Must(Append("c", Say(value_)));
  const RedactionReceipt receipt = Redact(Given({value_}));
  EXPECT_EQ(receipt.store_id, Must(log_->Stats()).store_id);
  EXPECT_GT(receipt.time.nanos, 0);
  EXPECT_EQ(receipt.values, 1U);
  std::uint64_t bytes = 0;
  for (const auto& [name, contents] : AllFiles(path())) bytes += contents.size();
  EXPECT_EQ(receipt.files, AllFiles(path()).size());
  EXPECT_EQ(receipt.bytes, bytes);
  EXPECT_GT(receipt.index_entries, 2U);
  EXPECT_THAT(receipt.problems, IsEmpty());
}

// Or every run would redact the record of the last one.
TEST_F(RedactTest, NoRuleTakesARecordForASecret) {
  const auto detector = Must(SecretDetector::Make(BuiltInSecretRules()));
  for (const SecretRule& rule : BuiltInSecretRules().rules) {
    for (const std::string& by : {std::string("root@host"), "token@" + rule.id}) {
      const Event record = MakeRedactionEvent({1'790'000'000'123'456'789}, by, {{rule.id, {Seq{1}, Seq{123'456}}}});
      EXPECT_THAT(detector->Find(ToJson(record)), IsEmpty()) << rule.id;
    }
  }
}

// --- Again, and without writing ---

TEST_F(RedactTest, ASecondRunFindsAndWritesNothing) {
  Must(Append("c", Everywhere(value_)));
  Must(Append("d", LeakedAnswer("q", other_)));
  RedactionTargets targets = Given({value_});
  targets.secrets = targets.detect = true;
  EXPECT_TRUE(Redact(targets).clean());
  const auto before = RawEvents(*log_, "c");
  EXPECT_THAT(Plan(targets).conversations, IsEmpty());
  const RedactionReceipt again = Redact(targets);
  EXPECT_TRUE(again.clean());
  EXPECT_THAT(again.conversations, IsEmpty());
  EXPECT_EQ(RawEvents(*log_, "c"), before);
}

TEST_F(RedactTest, APlanWritesNothingAndNeedsNoWriter) {
  Must(Append("c", {Say(value_), Say("x")}));
  Reopen(OpenMode::kRead);
  const auto before = AllFiles(path());
  const RedactionPlan plan = Plan(Given({value_}));
  ASSERT_THAT(plan.conversations, SizeIs(1));
  EXPECT_EQ(plan.conversations[0].id, "c");
  EXPECT_THAT(SeqsOf(plan.conversations[0]), ElementsAre(1));
  EXPECT_THAT(plan.conversations[0].events[0].rules, ElementsAre("given-value"));
  EXPECT_EQ(plan.events(), 1U);
  EXPECT_EQ(AllFiles(path()), before);
}

TEST_F(RedactTest, NothingToFindIsProvedToo) {
  Must(Append("c", Say("x")));
  const RedactionReceipt receipt = Redact(Given({value_}));
  EXPECT_TRUE(receipt.clean());
  EXPECT_THAT(receipt.conversations, IsEmpty());
  EXPECT_THAT(receipt.rules, ElementsAre("given-value"));
  EXPECT_EQ(RawEvents(*log_, "c").size(), 1U);
}

}  // namespace
}  // namespace turnlog::redact_test
