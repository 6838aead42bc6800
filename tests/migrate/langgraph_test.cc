#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/langgraph/format.h"
#include "migrate/langgraph/msgpack.h"
#include "schema/json/json_scan.h"
#include "tests/migrate/database_files.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/read_source.h"
#include "tests/support/must.h"
#include "tests/support/sanitized.h"
#include "turnlog/event_json.h"
#include "turnlog/redaction/redact.h"

namespace turnlog::langgraph_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::SizeIs;

constexpr std::string_view kTurn = R"({"type":"turn_start"})";

// MessagePack, as far as the samples need it.
std::string Big(std::uint64_t value, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
  return out;
}
std::string Str(std::string_view text) { return "\xda" + Big(text.size(), 2) + std::string(text); }
std::string Join(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += item;
  return out;
}
std::string List(const std::vector<std::string>& items) { return "\xdc" + Big(items.size(), 2) + Join(items); }
// Names and values in turn.
std::string Map(const std::vector<std::string>& items) { return "\xde" + Big(items.size() / 2, 2) + Join(items); }
std::string Ext(int code, const std::string& bytes) {
  return "\xc9" + Big(bytes.size(), 4) + std::string(1, static_cast<char>(code)) + bytes;
}
std::string Object(int code, const std::string& name, const std::vector<std::string>& fields) {
  return Ext(code, List({Str("module"), Str(name), Map(fields), Str("model_validate_json")}));
}

std::string Human(const std::string& id, const std::string& text) {
  return Object(5, "HumanMessage", {Str("content"), Str(text), Str("id"), Str(id)});
}
std::string Ai(const std::string& id, const std::string& text) {
  return Object(5, "AIMessage", {Str("content"), Str(text), Str("id"), Str(id), Str("tool_calls"), List({})});
}
std::string Calls(const std::string& id) {
  return Object(
      5, "AIMessage",
      {Str("content"),
       List({Map({Str("type"), Str("thinking"), Str("thinking"), Str("Hm."), Str("signature"), Str("Eq==")}),
             Map({Str("type"), Str("text"), Str("text"), Str("Looking.")})}),
       Str("id"), Str(id), Str("tool_calls"),
       List({Map({Str("name"), Str("ls"), Str("args"), Map({Str("dir"), Str(".")}), Str("id"), Str("c1")})})});
}
std::string ToolMessage(const std::string& id, const std::string& status) {
  return Object(
      5, "ToolMessage",
      {Str("content"), Str("a\n"), Str("tool_call_id"), Str("c1"), Str("status"), Str(status), Str("id"), Str(id)});
}
std::string State(const std::vector<std::string>& messages) {
  return Map({Str("v"), "\x04", Str("ts"), Str("2026-01-31T10:00:00.5+00:00"), Str("channel_values"),
              Map({Str("messages"), List(messages), Str("other"), "\x2a"})});
}

std::string Blob(const std::string& bytes) {
  std::string hex = "X'";
  for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
  return hex + "'";
}

const std::string kTables =
    "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT "
    "NULL,"
    " parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB, PRIMARY KEY (thread_id, checkpoint_ns, "
    "checkpoint_id));"
    "CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,"
    " task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, value BLOB,"
    " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));";

std::string Checkpoint(const std::string& id, const std::string& bytes, const std::string& type = "msgpack",
                       const std::string& space = "") {
  return "INSERT INTO checkpoints VALUES ('t'," + Quoted(space) + "," + Quoted(id) + ",NULL," + Quoted(type) + "," +
         Blob(bytes) + "," + Blob(R"({"step":1})") + ");";
}

std::string Written(const std::string& checkpoint, int index, const std::string& channel, const std::string& bytes) {
  return "INSERT INTO writes VALUES ('t',''," + Quoted(checkpoint) + ",'task'," + std::to_string(index) + "," +
         Quoted(channel) + ",'msgpack'," + Blob(bytes) + ");";
}

std::string Interrupt(const std::string& value) {
  return List({Object(2, "Interrupt", {Str("value"), value, Str("id"), Str("i1")})});
}

const std::string kReview = Map({Str("action_requests"), List({Map({Str("name"), Str("rm"), Str("args"), Map({})})})});

std::string Decision(const std::string& type) {
  return Map({Str("decisions"), List({Map({Str("type"), Str(type), Str("message"), Str("mine")})})});
}

class LangGraphTest : public ImportTest {
 protected:
  SourceFiles Files(const std::string& sql) {
    TestDatabase database(dir_ / ("db" + std::to_string(++number_)) / "checkpoints.sqlite");
    database.Run(kTables + sql);
    return database.Files();
  }
  ReadSource Read(const std::string& sql) { return ReadFiles(kLangGraphFormat, Files(sql)); }
  std::vector<std::string> ShapesOf(const std::string& sql) { return Shapes(Read(sql).only().events); }

 private:
  int number_ = 0;
};

TEST_F(LangGraphTest, ReadsMessagePack) {
  EXPECT_EQ(MsgpackToJson(List({"\x05", "\xff", "\xc0", "\xc3", "\xcd\x01\x02", "\xd1\xff\x01"})),
            "[5,-1,null,true,258,-255]");
  EXPECT_EQ(MsgpackToJson("\xcb" + Big(0x3ff8000000000000, 8)), "1.5");
  EXPECT_EQ(MsgpackToJson("\xcb" + Big(0x7ff0000000000000, 8)), R"({"$number":"inf"})");
  EXPECT_EQ(MsgpackToJson("\xcb" + Big(0xfff0000000000000, 8)), R"({"$number":"-inf"})");
  EXPECT_EQ(MsgpackToJson("\xcb" + Big(0x7ff8000000000000, 8)), R"({"$number":"nan"})");
  EXPECT_EQ(MsgpackToJson("\xa1\xc3"), R"({"$base64":"ww=="})") << "no text";
  EXPECT_EQ(MsgpackToJson("\x81\x01\x02"), R"({"$map":[[1,2]]})");
  EXPECT_EQ(MsgpackToJson(Ext(0, List({Str("uuid"), Str("UUID"), Str("x")}))),
            R"({"$ext":0,"value":["uuid","UUID","x"]})");
  EXPECT_EQ(MsgpackToJson(Ext(9, "\x01")), R"({"$ext":9,"value":{"$base64":"AQ=="}})");
  const std::string sample = State({Human("h", "Hi"), Calls("a")});
  for (std::size_t size = 0; size < sample.size(); size += kByteStep)
    EXPECT_FALSE(MsgpackToJson(sample.substr(0, size))) << size;
  EXPECT_FALSE(MsgpackToJson(sample + "\x01"));
  EXPECT_FALSE(MsgpackToJson(std::string(200, '\x91') + "\x01")) << "too deep";
  EXPECT_FALSE(MsgpackToJson("\xc1"));
}

// In time that is linear in their size, and not doubled by each level.
TEST_F(LangGraphTest, ReadsMapsWithoutTextsAsKeysInOneAnother) {
  EXPECT_EQ(MsgpackToJson("\x83\xa1"
                          "a\x01\x02\x82\xa1"
                          "b\x05\xa1"
                          "c\x06\xa1"
                          "d\x80"),
            R"({"$map":[["a",1],[2,{"b":5,"c":6}],["d",{}]]})");
  std::string maps, json = "null";
  for (int level = 0; level < 60; ++level) {
    maps += level % 2 == 0 ? "\x81\x01" : "\x81\xa1\xff";
    json = fmt::format(R"({{"$map":[[{},{}]]}})", level % 2 == 0 ? R"({"$base64":"/w=="})" : "1", json);
  }
  EXPECT_EQ(MsgpackToJson(maps + "\xc0"), json);
}

// Each is three arrays and objects of JSON, and a row is another one around them.
TEST_F(LangGraphTest, ReadsMapsInOneAnotherAsDeepAsJsonMayBe) {
  std::string maps, json;
  for (int levels = 0; levels < kMaxJsonDepth; ++levels, maps += "\x81\x01") {
    if (const auto read = MsgpackToJson(maps + Ext(9, "\x01"))) json = *read;
  }
  EXPECT_FALSE(FindJsonFault(fmt::format("[{}]", json)));
  EXPECT_GT(std::ranges::count(json, '['), kMaxJsonDepth / 2);
}

TEST_F(LangGraphTest, TakesEachMessageFromTheFirstCheckpointThatHasIt) {
  const std::string h = Human("h", "Hi"), a = Calls("a"), t = ToolMessage("t", "success");
  ReadSource read = Read(Checkpoint("1", State({h})) + Checkpoint("2", State({h, a})) + Checkpoint("3", State({h, a})) +
                         Checkpoint("4", State({h, a, t, Ai("b", "Done.")})));
  ASSERT_THAT(read.conversations, ElementsAre(Key("t")));
  EXPECT_THAT(
      Shapes(read.only().events),
      ElementsAre(kTurn, R"({"type":"chat_request","content":"Hi"})", R"({"type":"chat_response","reasoning":"Hm."})",
                  R"({"type":"chat_response","message":"Looking."})",
                  R"({"type":"tool_call_request","id":"c1","name":"ls","arguments":{"dir":"."}})", "foreign",
                  R"({"type":"tool_call_response","id":"c1","content":"a\n","is_error":false})",
                  R"({"type":"chat_response","message":"Done."})"));
  EXPECT_EQ(read.only().events[1].event_id, "1#1");
  EXPECT_EQ(read.only().events[0].timestamp, Must(Timestamp::ParseRfc3339("2026-01-31T10:00:00.5Z")));
  EXPECT_EQ(read.only().events[2].metadata.text(), R"({"opaque":"Eq=="})");
  EXPECT_EQ(read.taken, read.source_size);
  EXPECT_EQ(read.only().written.size(), read.source_size);
}

TEST_F(LangGraphTest, ReadsCheckpointsInJson) {
  EXPECT_THAT(ShapesOf(Checkpoint(
                  "1",
                  R"({"channel_values":{"chat":[{"lc":2,"type":"constructor","id":["langchain","HumanMessage"],)"
                  R"("kwargs":{"content":"Hi"}},{"role":"assistant","content":"Hello."},)"
                  R"({"type":"system","content":"x"}]}})",
                  "json")),
              ElementsAre(kTurn, R"({"type":"chat_request","content":"Hi"})",
                          R"({"type":"chat_response","message":"Hello."})", "foreign"));
}

// Each name that the reader knows is another one in turn, in rows and in MessagePack.
TEST_F(LangGraphTest, KeepsKindsThatItDoesNotKnow) {
  const std::string sample =
      Checkpoint("1", State({Human("h", "Hi"), Calls("a")})) + Written("1", -3, "__interrupt__", Interrupt(kReview)) +
      Written("1", -4, "__resume__", Decision("approve")) +
      Checkpoint("2", State({Human("h", "Hi"), Calls("a"), ToolMessage("t", "success"), Ai("b", "Done.")})) +
      Written("2", 1, "other", Str("x"));
  const auto in_hex = [](const std::string& text) {
    const std::string blob = Blob(text);
    return blob.substr(2, blob.size() - 3);
  };
  std::size_t kinds = 0;
  for (const std::string name :
       {"HumanMessage",    "AIMessage",  "ToolMessage",  "Interrupt",     "module",     "thinking", "text",
        "signature",       "tool_calls", "tool_call_id", "status",        "content",    "messages", "channel_values",
        "action_requests", "decisions",  "approve",      "__interrupt__", "__resume__", "msgpack"}) {
    for (const std::string& known : {name, in_hex(name)}) {
      const std::string unknown = known == name ? "x" + name.substr(1) : in_hex("x" + name.substr(1));
      for (std::size_t at = sample.find(known); at != std::string::npos; at = sample.find(known, at + 1)) {
        std::string sql = sample;
        sql.replace(at, known.size(), unknown);
        ReadSource read = Read(sql);
        EXPECT_THAT(read.problems, IsEmpty()) << name << at;
        EXPECT_EQ(read.taken, read.source_size) << name << at;
        EXPECT_EQ(read.only().written.size(), read.source_size) << name << at;
        ++kinds;
      }
    }
  }
  EXPECT_GT(kinds, 30U);
}

TEST_F(LangGraphTest, HidesTurnsThatAForkLeft) {
  EXPECT_THAT(ShapesOf(Checkpoint("1", State({Human("h1", "one"), Human("h2", "two")})) +
                       Checkpoint("2", State({Human("h1", "one"), Human("h3", "other")})) +
                       Checkpoint("3", State({Human("h4", "new")}))),
              ElementsAre(kTurn, HasSubstr("one"), kTurn, HasSubstr("two"), HasSubstr(R"("from_turn":1,"to_turn":1)"),
                          kTurn, HasSubstr("other"), HasSubstr(R"("from_turn":0,"to_turn":0)"),
                          HasSubstr(R"("from_turn":2,"to_turn":2)"), kTurn, HasSubstr("new")));
}

// With what follows it in the state, in the same order.
TEST_F(LangGraphTest, RepeatsAHiddenTurnThatIsInTheStateAgain) {
  const std::string h1 = Human("h1", "one"), a1 = Ai("a1", "first"), h2 = Human("h2", "two"), a2 = Ai("a2", "second"),
                    h3 = Human("h3", "other"), h4 = Human("h4", "new");
  const std::string returned = Checkpoint("1", State({h1, a1})) + Checkpoint("2", State({h1, a1, h2, a2})) +
                               Checkpoint("3", State({h1, a1, h3})) + Checkpoint("4", State({h1, a1, h2, a2, h4}));
  const std::vector<std::string> shapes = ShapesOf(returned);
  EXPECT_THAT(shapes, ElementsAre(kTurn, HasSubstr("one"), HasSubstr("first"), kTurn, HasSubstr("two"),
                                  HasSubstr("second"), HasSubstr(R"("from_turn":1,"to_turn":1)"), kTurn,
                                  HasSubstr("other"), HasSubstr(R"("from_turn":2,"to_turn":2)"), kTurn,
                                  HasSubstr("two"), HasSubstr("second"), kTurn, HasSubstr("new")));
  std::vector<std::string> later = shapes;
  later.emplace_back("foreign");
  EXPECT_EQ(ShapesOf(returned + Checkpoint("5", State({h1, a1, h2, a2, h4}))), later) << "repeated once";
  EXPECT_THAT(ShapesOf(Checkpoint("1", State({h1, h2, h3})) + Checkpoint("2", State({h1, h3})) +
                       Checkpoint("3", State({h1, h2, h3}))),
              ElementsAre(kTurn, HasSubstr("one"), kTurn, HasSubstr("two"), kTurn, HasSubstr("other"),
                          HasSubstr(R"("from_turn":1,"to_turn":1)"), HasSubstr(R"("from_turn":2,"to_turn":2)"), kTurn,
                          HasSubstr("two"), kTurn, HasSubstr("other")));
}

TEST_F(LangGraphTest, TurnsInterruptsIntoInquiries) {
  const std::string asked =
      Checkpoint("1", State({Human("h", "Hi")})) + Written("1", -3, "__interrupt__", Interrupt(Str("Sure?")));
  EXPECT_THAT(ShapesOf(asked),
              ElementsAre(kTurn, HasSubstr("Hi"), AllOf(HasSubstr("Sure?"), HasSubstr("i1.interrupt.1"))));
  EXPECT_THAT(ShapesOf(asked + Written("1", -4, "__resume__", Str("yes"))).back(), HasSubstr(R"("answer":"yes")"));
  EXPECT_THAT(ShapesOf(asked + Written("1", -4, "__resume__", Map({Str("a"), "\x01"}))).back(),
              HasSubstr(R"("answer":{"a":1})"));
  EXPECT_THAT(
      ShapesOf(asked + Checkpoint("2", State({Human("h", "Hi")})) + Written("2", -4, "__resume__", Str("other")))
          .back(),
      "foreign")
      << "of another checkpoint";
}

TEST_F(LangGraphTest, TurnsReviewsOfActionsIntoApprovals) {
  const std::string asked =
      Checkpoint("1", State({Human("h", "Hi")})) + Written("1", -3, "__interrupt__", Interrupt(kReview));
  EXPECT_THAT(ShapesOf(asked).back(), HasSubstr("Allow rm?"));
  EXPECT_THAT(ShapesOf(asked + Written("1", -4, "__resume__", Decision("approve"))).back(),
              HasSubstr(R"("answer":true)"));
  EXPECT_THAT(ShapesOf(asked + Written("1", -4, "__resume__", Decision("reject"))).back(),
              AllOf(HasSubstr(R"("answer":false)"), HasSubstr(R"("reason":"mine")")));
  EXPECT_THAT(ShapesOf(asked + Written("1", -4, "__resume__", Str("x"))).back(), HasSubstr("cancelled"));
}

// The tool is then a question to a person.
TEST_F(LangGraphTest, AsksWhatAPersonMayOnlyRespondTo) {
  const auto review = [](const std::string& args) {
    const std::string action = Map({Str("name"), Str("ask_user"), Str("args"), args, Str("description"), Str("Asks.")});
    const std::string config =
        Map({Str("action_name"), Str("ask_user"), Str("allowed_decisions"), List({Str("respond")})});
    return Checkpoint("1", State({Human("h", "Hi")})) +
           Written("1", -3, "__interrupt__",
                   Interrupt(Map({Str("action_requests"), List({action}), Str("review_configs"), List({config})})));
  };
  const std::string asked = review(Map({Str("question"), Str("Which color?")}));
  EXPECT_THAT(ShapesOf(asked).back(), AllOf(HasSubstr("Which color?"), HasSubstr("i1.interrupt.1")));
  EXPECT_THAT(ShapesOf(review(Map({}))).back(), AllOf(HasSubstr("Asks."), HasSubstr("i1.interrupt.1")));
  EXPECT_THAT(ShapesOf(asked + Written("1", -4, "__resume__", Decision("respond"))).back(),
              HasSubstr(R"("answer":"mine")"));
}

// The call did not run.
TEST_F(LangGraphTest, TakesAResponseInPlaceOfTheToolForNoApproval) {
  const std::string asked =
      Checkpoint("1", State({Human("h", "Hi")})) + Written("1", -3, "__interrupt__", Interrupt(kReview));
  for (const char* type : {"respond", "response"}) {
    EXPECT_THAT(ShapesOf(asked + Written("1", -4, "__resume__", Decision(type))).back(),
                AllOf(HasSubstr("cancelled"), HasSubstr(R"("reason":"reply")")));
  }
}

TEST_F(LangGraphTest, RecognisesCallsThatWereRejectedInAReview) {
  const auto result = [&](const std::string& text, const std::string& status) {
    const std::string message = Object(5, "ToolMessage",
                                       {Str("content"), Str(text), Str("tool_call_id"), Str("c1"), Str("name"),
                                        Str("ls"), Str("status"), Str(status), Str("id"), Str("t")});
    return ShapesOf(Checkpoint("1", State({Human("h", "Hi"), Ai("a", "x"), message}))).back();
  };
  EXPECT_THAT(result("User rejected the tool call for `ls` with id c1. The tool was not executed.", "error"),
              AllOf(HasSubstr(R"("denied":{"responder":{"kind":"user")"), Not(HasSubstr("reason"))));
  EXPECT_THAT(result("User rejected the tool call for `ls` with reason: Too slow.", "error"),
              AllOf(HasSubstr(R"("denied":)"), HasSubstr(R"("reason":"Too slow.")")));
  EXPECT_THAT(result("User rejected the tool call for `rm` with id c1", "error"), Not(HasSubstr("denied")));
  EXPECT_THAT(result("User rejected the tool call for `ls` with id c1", "success"), Not(HasSubstr("denied")));
}

// LangChain marks what it puts into the conversation in a person's name, as the summary of earlier messages.
TEST_F(LangGraphTest, NamesTheHarnessAsTheAuthorOfItsSummaries) {
  const std::string summary = Object(5, "HumanMessage",
                                     {Str("content"), Str("Here is a summary"), Str("id"), Str("s"),
                                      Str("additional_kwargs"), Map({Str("lc_source"), Str("summarization")})});
  EXPECT_THAT(ShapesOf(Checkpoint("1", State({summary, Human("h", "Hi")}))),
              ElementsAre(kTurn, AllOf(HasSubstr("Here is"), HasSubstr(R"("author":"harness")")), kTurn,
                          AllOf(HasSubstr("Hi"), Not(HasSubstr("author")))));
}

TEST_F(LangGraphTest, ShowsTheSummariesOfReasoning) {
  const std::string summary = Map({Str("type"), Str("reasoning"), Str("id"), Str("rs_1"), Str("summary"),
                                   List({Map({Str("type"), Str("summary_text"), Str("text"), Str("Hm.")})})});
  const std::string text = Map({Str("type"), Str("text"), Str("text"), Str("Yes.")});
  const std::string block = Object(5, "AIMessage", {Str("content"), List({summary, text}), Str("id"), Str("a")});
  const std::string beside = Object(
      5, "AIMessage",
      {Str("content"), List({text}), Str("additional_kwargs"), Map({Str("reasoning"), summary}), Str("id"), Str("b")});
  EXPECT_THAT(ShapesOf(Checkpoint("1", State({Human("h", "Hi"), block, beside}))),
              ElementsAre(kTurn, HasSubstr("Hi"), HasSubstr(R"("reasoning":"Hm.")"), HasSubstr("Yes."),
                          HasSubstr(R"("reasoning":"Hm.")"), HasSubstr("Yes.")));
}

TEST_F(LangGraphTest, KeepsWhatItCannotRead) {
  ReadSource read =
      Read(Checkpoint("1", "\xc1 torn") + Checkpoint("2", "secret", "msgpack+aes") +
           Written("2", 0, "__error__", Str("boom")) + Checkpoint("3", State({Human("h", "Hi")}), "msgpack", "sub"));
  EXPECT_THAT(read.conversations, ElementsAre(Key("t"), Key("t/sub")));
  EXPECT_THAT(Shapes(read.conversations["t"].events), ElementsAre("foreign", "foreign", "foreign"));
  EXPECT_THAT(read.conversations["t"].written, HasSubstr(R"("checkpoint":{"$base64":"c2VjcmV0"})"));
  EXPECT_EQ(read.conversations["t/sub"].parts["parent"], "t");
}

TEST_F(LangGraphTest, RefusesThreadsWithPickle) {
  const ReadSource read = Read(Checkpoint("1", State({Human("h", "Hi")})) + Checkpoint("2", "\x80\x04.", "pickle") +
                               Checkpoint("3", State({Human("h", "Hi")}), "msgpack", "sub"));
  EXPECT_THAT(read.conversations, ElementsAre(Key("t/sub")));
  EXPECT_THAT(read.problems, ElementsAre("checkpoints.sqlite: malformed"));
}

TEST_F(LangGraphTest, SurvivesDamageAnywhere) {
  const std::string bytes =
      Files("PRAGMA page_size=512; VACUUM;" + Checkpoint("1", State({Human("h", "Hi"), Calls("a")})) +
            Written("1", -3, "__interrupt__", Interrupt(kReview)))
          .front()
          .second;
  for (std::size_t at = 0; at < bytes.size(); at += kByteStep) {
    std::string text = bytes;
    text[at] = static_cast<char>(text[at] ^ 0x81);
    ReadFiles(kLangGraphFormat, {{"x.sqlite", text}});
    ReadFiles(kLangGraphFormat, {{"x.sqlite", bytes.substr(0, at)}});
  }
}

TEST_F(LangGraphTest, AddsWhatIsNew) {
  TestDatabase database(dir_ / "live" / "checkpoints.sqlite");
  database.Run("PRAGMA journal_mode=WAL;" + kTables + Checkpoint("1", State({Human("h", "Hi")})) +
               Written("1", -3, "__interrupt__", Interrupt(Str("Sure?"))));
  const std::vector<std::filesystem::path> paths{dir_ / "live"};
  EXPECT_EQ(Must(Import(*log_, "auto", paths)).added, 1);
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), SizeIs(1));
  database.Run(Written("1", -4, "__resume__", Str("yes")) +
               Checkpoint("2", State({Human("h", "Hi"), Ai("a", "Done.")})));
  const ImportReport report = Must(Import(*log_, "auto", paths));
  EXPECT_EQ(report.extended, 1);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(Must(log_->Pending(std::nullopt)), IsEmpty());
  EXPECT_EQ(Must(Import(*log_, "langgraph", paths)).unchanged, 1);
}

// Each checkpoint has all messages again.
TEST_F(LangGraphTest, BringsNothingBackThatWasRedacted) {
  const std::string value = std::string("Kq7v-rather") + "Secret!9x";
  TestDatabase database(dir_ / "live" / "checkpoints.sqlite");
  std::vector<std::string> messages{Human("h", "it is " + value), Ai("a", "Is it \"" + value + "\"?")};
  database.Run(kTables + Checkpoint("1", State(messages)));
  const std::vector<std::filesystem::path> paths{dir_ / "live"};
  EXPECT_EQ(Must(Import(*log_, "langgraph", paths)).added, 1);
  RedactionTargets targets;
  targets.values = {value};
  Must(Must(Redaction::Plan(*log_, targets))->Apply("tester"));
  for (int i = 2; i < 6; ++i) {
    if (i % 2 == 0) messages.push_back(Human(fmt::format("h{}", i), fmt::format("more {}", i)));
    database.Run(Checkpoint(std::to_string(i), State(messages)));
    const ImportReport report = Must(Import(*log_, "langgraph", paths));
    EXPECT_EQ(report.extended, 1) << i;
    EXPECT_THAT(report.problems, IsEmpty());
    Must(log_->Checkpoint());
    for (const auto& [name, bytes] : ReadTree(store_.dir / "store")) EXPECT_FALSE(bytes.contains(value)) << name << i;
  }
  EXPECT_EQ(Must(Import(*log_, "langgraph", paths)).unchanged, 1);
  EXPECT_THAT(Must(Redaction::Plan(*log_, targets))->plan().conversations, IsEmpty());
}

}  // namespace
}  // namespace turnlog::langgraph_test
