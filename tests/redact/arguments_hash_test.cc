// Approvals, denials and permissions have a hash of a call's exact arguments, against which guesses could be tried.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/redact/redact_fixture.h"
#include "turnlog/edited_arguments.h"

namespace turnlog::arguments_hash_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class ArgumentsHashTest : public RedactTest {
 protected:
  static std::string Hash(const std::string& arguments) { return ArgumentsHash("sh", Must(ParseJson(arguments))); }
  static Event Call(const std::string& arguments) {
    return FromJson(fmt::format(R"({{"type":"tool_call_request","id":"c","name":"sh","arguments":{}}})", arguments));
  }
  static Event Denied(const std::string& hash) {
    return FromJson(
        fmt::format(R"({{"type":"tool_call_response","id":"c","content":"no","is_error":true,)"
                    R"("denied":{{"reason":"unsafe","responder":{{"kind":"user"}},"arguments_hash":"{}"}}}})",
                    hash));
  }
  static Event Permission(const std::string& hash) {
    return FromJson(fmt::format(
        R"({{"type":"permission","tool":"sh","arguments_hash":"{}","decision":"allow","remember":"turn"}})", hash));
  }

  const std::string arguments_ = fmt::format(R"({{"in": "{}"}})", value_),
                    compact_ = fmt::format(R"({{"in":"{}"}})", value_), others_ = R"({"in":"public"})";
};

TEST_F(ArgumentsHashTest, GoesWithTheValueInTheArguments) {
  Must(Append("a", {NewTurn(), Call(arguments_), Denied(Hash(arguments_)), Permission(Hash(compact_))}));
  const RedactionProof proof = Redact(Given({value_}));
  EXPECT_TRUE(proof.clean());
  EXPECT_EQ(proof.values, 1U);
  const std::vector<std::string> lines = Json("a");
  EXPECT_THAT(lines[2], HasSubstr(R"("arguments_hash":"[redacted]")"));
  EXPECT_THAT(lines[2], HasSubstr(R"("reason":"unsafe")"));
  EXPECT_THAT(lines[3], HasSubstr(R"("arguments_hash":"[redacted]","decision":"allow")"));
  EXPECT_THAT(lines, Contains(HasSubstr(R"("rule":"arguments-hash","events":2,"seqs":[[3,4]])")));
  EXPECT_THAT(FilesWith(folder_ / "store", Hash(arguments_)), IsEmpty());
}

TEST_F(ArgumentsHashTest, GoesFromOtherConversationsAsWell) {
  Must(Append("a", {Permission(Hash(arguments_))}));
  Must(Append("b", {NewTurn(), Call(arguments_)}));
  EXPECT_TRUE(Redact(Given({value_})).clean());
  EXPECT_THAT(Json("a").front(), HasSubstr(R"("arguments_hash":"[redacted]")"));
  EXPECT_THAT(FilesWith(folder_ / "store", Hash(arguments_)), IsEmpty());
}

TEST_F(ArgumentsHashTest, OfEditedArgumentsGoes) {
  std::vector<Event> events{NewTurn(), Ask(Opaque("q")), Answered("q", "x"), Permission(Hash(compact_))};
  std::get<InquiryResponse>(events[2].body).answer = Must(ParseJson("false"));
  events[2].metadata = EditedArgumentsMetadata("sh", Must(ParseJson(arguments_)));
  Must(Append("a", events));
  EXPECT_TRUE(Redact(Given({value_})).clean());
  EXPECT_THAT(Json("a")[2], HasSubstr(R"({"in":"[redacted]"},"arguments_hash":"[redacted]")"));
  EXPECT_THAT(FilesWith(folder_ / "store", Hash(compact_)), IsEmpty());
}

TEST_F(ArgumentsHashTest, OfOtherArgumentsStays) {
  Event call = Call(others_);
  call.metadata = Must(ParseJson(fmt::format(R"({{"note":"{}"}})", value_)));
  Must(Append("a", {NewTurn(), Call(arguments_), call, Denied(Hash(others_))}));
  EXPECT_TRUE(Redact(Given({value_})).clean());
  EXPECT_THAT(Json("a")[3], HasSubstr(Hash(others_)));
}

TEST_F(ArgumentsHashTest, GoesAlsoIfTheFirstRunWasInterrupted) {
  const auto fill = [&](Log& log) {
    std::vector<Event> a = LeakedAnswer("q", value_);
    a.push_back(Call(arguments_));
    Must(log.Append(Id("a"), a));
    Must(log.Append(Id("b"), Call(arguments_)));
    Must(log.Append(Id("c"), std::vector{Permission(Hash(arguments_)), Say(value_)}));
  };
  const int stops = StopBeforeEachStep(fill, {value_, Hash(arguments_)});
  EXPECT_GE(stops, 3) << "the test does not stop it where it matters";
}

}  // namespace
}  // namespace turnlog::arguments_hash_test
