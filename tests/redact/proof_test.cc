// The proof after a redaction: what is left, and what could not be searched.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "tests/redact/redact_fixture.h"

namespace turnlog::proof_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::vector<std::string> LocationsOf(const std::vector<ValueLocation>& locations) {
  std::vector<std::string> texts;
  texts.reserve(locations.size());
  for (const ValueLocation& location : locations) {
    texts.push_back(
        fmt::format("{}{} {} {}", location.file, location.conversation, location.seq.value, location.field));
  }
  return texts;
}

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
  const RedactionProof proof = Redact(Given({value_}));
  EXPECT_FALSE(proof.clean());
  EXPECT_THAT(
      LocationsOf(proof.left),
      AllOf(Contains("c 1 event_id"), Contains("c 2 id"), Contains("c 3 id"), Contains("c 4 type"),
            Contains("c 5 event_id"), Contains("c 6 items.event.id"), Contains("named [redacted] 0 conversation"),
            Contains(HasSubstr("index 0 entry")), Contains(HasSubstr("log/0000000000000000.seg 0 "))));
  EXPECT_THAT(LocationsOf(proof.left), Each(Not(HasSubstr(value_))));
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
  const RedactionProof proof = Redact(Given({value_}));
  EXPECT_FALSE(proof.clean());
  EXPECT_EQ(proof.left_count, 3U);
  EXPECT_THAT(LocationsOf(proof.left), AllOf(Contains("copies/plain 0 "), Contains("copies/encoded 0 "),
                                             Contains("copies/name of [redacted] 0 file name")));
}

TEST_F(RedactTest, WhatCannotBeSearchedIsNotProved) {
  Must(Append("c", Say(value_)));
  const auto redaction = Must(Redaction::Plan(*log_, Given({value_})));
  Must(redaction->Apply("tester"));
  for (const char* name : {"log", "index"}) {
    std::filesystem::rename(path() / name, folder_ / "elsewhere");
    std::filesystem::create_directory_symlink(folder_ / "elsewhere", path() / name);
    const RedactionProof proof = Must(redaction->Prove());
    EXPECT_FALSE(proof.clean());
    EXPECT_THAT(proof.problems, AllOf(Not(IsEmpty()), Each(StartsWith(std::string(name) + ": "))));
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
  const RedactionProof proof = Redact(Given({value_}));
  ASSERT_THAT(proof.left, SizeIs(2));
  EXPECT_EQ(proof.left[0].offset, kPiece - 5);
  EXPECT_EQ(proof.left[1].offset, 2 * kPiece - 5);
}

TEST_F(RedactTest, AValueThatFillsManyPiecesIsFound) {
  std::string large;
  for (int i = 0; large.size() < 600'000; ++i) large += fmt::format("{:x}-", i * 7919);
  std::ofstream(path() / "copy") << std::string(3 << 20, '.') << large << "..";
  const RedactionProof proof = Redact(Given({large}));
  ASSERT_THAT(proof.left, SizeIs(1));
  EXPECT_EQ(proof.left[0].offset, std::uint64_t{3} << 20);
}

TEST_F(RedactTest, TheProofSaysWhatWasRead) {
  Must(Append("c", Say(value_)));
  const RedactionProof proof = Redact(Given({value_}));
  EXPECT_EQ(proof.store_id, Must(log_->Stats()).store_id);
  EXPECT_GT(proof.time.nanos, 0);
  EXPECT_EQ(proof.values, 1U);
  std::uint64_t bytes = 0;
  for (const auto& [name, contents] : AllFiles(path())) bytes += contents.size();
  EXPECT_EQ(proof.files, AllFiles(path()).size());
  EXPECT_EQ(proof.bytes, bytes);
  EXPECT_GT(proof.index_entries, 2U);
  EXPECT_THAT(proof.problems, IsEmpty());
}

TEST_F(RedactTest, NothingToFindIsProvedToo) {
  Must(Append("c", Say("x")));
  const RedactionProof proof = Redact(Given({value_}));
  EXPECT_TRUE(proof.clean());
  EXPECT_THAT(proof.conversations, IsEmpty());
  EXPECT_THAT(proof.rules, ElementsAre("given-value"));
  EXPECT_EQ(RawEvents(*log_, "c").size(), 1U);
}

}  // namespace
}  // namespace turnlog::proof_test
