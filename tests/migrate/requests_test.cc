// Conversations as requests for model providers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "migrate/requests/dialogue.h"
#include "tests/migrate/any_talk.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/must.h"
#include "turnlog/providers/lint.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::requests_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Event Prompt(const std::string& text) { return {.body = ChatRequest{.content = text, .author = {}, .schema = {}}}; }
Event Message(const std::string& text) { return {.body = ChatResponse{ChatPart::kMessage, text}}; }
Event Reasoning(const std::string& text, const std::string& metadata = {}) {
  Event event{.body = ChatResponse{ChatPart::kReasoning, text}};
  if (!metadata.empty()) event.metadata = Json::FromTrusted(metadata);
  return event;
}
Event Call(const std::string& id, const std::string& tool = "ls", const std::string& arguments = R"({"dir":"."})") {
  return {.body = ToolCallRequest{id, tool, Json::FromTrusted(arguments)}};
}
Event Of(const std::string& message, Event event) {
  event.metadata = Json::FromTrusted(fmt::format(R"({{"message_id":"{}"}})", message));
  return event;
}
Event Result(const std::string& id, const std::string& text, bool error = false) {
  return {.body = ToolCallResponse{.id = id, .content = text, .is_error = error, .denied = {}}};
}
Event Compaction(std::uint64_t from, std::uint64_t to, const std::string& summary) {
  return {.body = Verbatim{EventKind::kCompaction, "compaction",
                           Json::FromTrusted(fmt::format(
                               R"({{"type":"compaction","from_turn":{},"to_turn":{},"summary":{{"summary":"{}"}}}})",
                               from, to, summary))}};
}

class RequestsTest : public ImportTest {
 protected:
  void Append(const std::string& conversation, const std::vector<Event>& events) {
    Must(log_->Append(Id(conversation), std::span<const Event>(events), {.durability = Durability::kBuffered}));
  }

  std::string Export(Provider provider, const std::string& conversation, const ExportOptions& options = {}) {
    std::string out;
    const auto sink = [&](std::string_view piece) { return out += piece, Status(); };
    const std::vector<ConversationId> ids{Id(conversation)};
    const ExportReport report = Must(ExportToStream(*log_, ToString(provider), ids, sink, options));
    EXPECT_THAT(report.failures, IsEmpty());
    changes_.clear();
    for (const ExportChange& change : report.changes)
      changes_.push_back(fmt::format("{} {}", change.what, change.count));
    for (const ProviderFinding& finding : Must(LintRequest(provider, out, {.model = options.model}))) {
      ADD_FAILURE() << ToString(provider) << ": " << finding.rule->id << " at " << finding.pointer << " in " << out;
    }
    return out;
  }

  // The messages of a request.
  static std::vector<std::string> Lines(const std::string& request) {
    std::vector<std::string> lines;
    for (std::size_t at = request.find('\n') + 1; request.substr(at, 1) == "{";) {
      const std::size_t end = request.find('\n', at);
      std::string line = request.substr(at, end - at);
      if (line.ends_with(',')) line.pop_back();
      lines.push_back(line);
      at = end + 1;
    }
    return lines;
  }

  std::vector<std::string> changes_;
};

const std::vector<Event> kTalk{{},        Prompt("Hi"),     Message("Looking."), Call("a"),
                               Call("b"), Result("b", "B"), Result("a", "A"),    Message("Done.")};

TEST_F(RequestsTest, OfAnthropicHaveResultsInTheNextMessage) {
  Append("c", kTalk);
  EXPECT_THAT(Lines(Export(Provider::kAnthropic, "c")),
              ElementsAre(R"({"role":"user","content":"Hi"})",
                          R"({"role":"assistant","content":[{"type":"text","text":"Looking."},)"
                          R"({"type":"tool_use","id":"a","name":"ls","input":{"dir":"."}},)"
                          R"({"type":"tool_use","id":"b","name":"ls","input":{"dir":"."}}]})",
                          R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"A"},)"
                          R"({"type":"tool_result","tool_use_id":"b","content":"B"}]})",
                          R"({"role":"assistant","content":[{"type":"text","text":"Done."}]})",
                          R"({"role":"user","content":"Continue."})"));
  EXPECT_THAT(changes_, IsEmpty());
}

TEST_F(RequestsTest, OfOpenAiAreMessagesOrItems) {
  Append("c", kTalk);
  EXPECT_THAT(Lines(Export(Provider::kOpenAiChat, "c", {.prompt = "More"})),
              ElementsAre(R"({"role":"user","content":"Hi"})",
                          R"({"role":"assistant","content":"Looking.","tool_calls":[{"id":"a","type":"function",)"
                          R"("function":{"name":"ls","arguments":"{\"dir\":\".\"}"}},{"id":"b","type":"function",)"
                          R"("function":{"name":"ls","arguments":"{\"dir\":\".\"}"}}]})",
                          R"({"role":"tool","tool_call_id":"a","content":"A"})",
                          R"({"role":"tool","tool_call_id":"b","content":"B"})",
                          R"({"role":"assistant","content":"Done."})", R"({"role":"user","content":"More"})"));
  EXPECT_THAT(Lines(Export(Provider::kOpenAiResponses, "c"))[2],
              R"({"type":"function_call","call_id":"a","name":"ls","arguments":"{\"dir\":\".\"}"})");
}

TEST_F(RequestsTest, OfGeminiHaveOneResponseForEachCall) {
  Append("c", kTalk);
  EXPECT_THAT(
      Lines(Export(Provider::kGemini, "c"))[1],
      R"({"role":"model","parts":[{"text":"Looking."},{"functionCall":{"name":"ls","args":{"dir":"."}},)"
      R"("thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"name":"ls","args":{"dir":"."}}}]})");
}

TEST_F(RequestsTest, KeepOneMessageTogetherThoughAResultComesBetween) {
  Append("c", {{},
               Prompt("Hi"),
               Of("m", Call("a")),
               Result("a", "A"),
               Of("m", Call("b")),
               Result("b", "B"),
               Of("n", Call("d")),
               Result("d", "D")});
  const auto lines = Lines(Export(Provider::kAnthropic, "c"));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_THAT(lines[1], HasSubstr(R"("id":"b")"));
  EXPECT_THAT(lines[3], HasSubstr(R"("id":"d")"));
}

TEST_F(RequestsTest, CloseCallsAndLeaveStrayResultsOut) {
  Append(
      "c",
      {{}, Prompt("Hi"), Call("a"), Prompt("Wait"), Result("x", "X"), Result("a", "A"), Call("b"), {}, Prompt("Ho")});
  const auto lines = Lines(Export(Provider::kAnthropic, "c"));
  EXPECT_THAT(changes_, ElementsAre("result-left-out 1", "call-closed 1"));
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_THAT(lines[2], HasSubstr(R"("content":"A")")) << "before what was said meanwhile";
  EXPECT_THAT(lines[5], HasSubstr(R"("is_error":true)"));
}

TEST_F(RequestsTest, GiveCallsIdsAndToolsNamesThatAreAccepted) {
  Append("c", {{},
               Prompt("Hi"),
               Call("a.1", "my tool"),
               Result("a.1", ""),
               Call("a_1", "9"),
               Result("a_1", "", true),
               Call(std::string(50, 'x')),
               Result(std::string(50, 'x'), "")});
  for (const Provider provider : AllProviders()) {
    const std::string request = Export(provider, "c");
    EXPECT_THAT(changes_, ElementsAre("call-id-changed 3", "tool-name-changed 2"));
    EXPECT_THAT(request, HasSubstr("my_tool"));
  }
}

TEST_F(RequestsTest, BeginEachTurnWithTheUser) {
  Append("c", {{}, Message("Hello."), {}, Call("a"), Result("a", "A"), Prompt(" ")});
  EXPECT_THAT(Lines(Export(Provider::kGemini, "c"))[0], R"({"role":"user","parts":[{"text":"Continue."}]})");
  EXPECT_THAT(changes_, ElementsAre("request-added 2"));
  Append("empty", {{}});
  for (const Provider provider : AllProviders()) EXPECT_EQ(Lines(Export(provider, "empty")).size(), 1U);
}

TEST_F(RequestsTest, TakeSealedReasoningToItsOwnModelAndAccountOnly) {
  const std::string opus = TestSignature("opus");
  Append("c", {{},
               Prompt("Hi"),
               Reasoning("Hm.", R"({"model":"claude-opus-4-5","opaque":")" + opus + R"("})"),
               Reasoning("", R"({"model":"claude-opus-4-5","opaque":")" + TestSignature("redacted") + R"("})"),
               Reasoning("Cut.", R"({"model":"claude-opus-4-5","opaque":")" + opus.substr(4) + R"("})"),
               Reasoning("Plain."),
               Message("Hello.")});
  const ExportOptions same{.model = "claude-opus-4-5", .same_account = true};
  EXPECT_THAT(Lines(Export(Provider::kAnthropic, "c", same))[1],
              StartsWith(R"({"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":")" + opus +
                         R"("},{"type":"redacted_thinking","data":)"));
  EXPECT_THAT(changes_, ElementsAre("reasoning-left-out 2"));
  for (const ExportOptions& other : {ExportOptions{.model = "claude-opus-4-6", .same_account = true},
                                     ExportOptions{.model = "claude-opus-4-5"}, ExportOptions{}}) {
    EXPECT_THAT(Export(Provider::kAnthropic, "c", other), Not(HasSubstr("thinking")));
  }
  for (const Provider provider : {Provider::kOpenAiChat, Provider::kOpenAiResponses, Provider::kGemini}) {
    EXPECT_THAT(Export(provider, "c", same), Not(HasSubstr(opus)));
  }
}

TEST_F(RequestsTest, TakeEncryptedReasoningToTheModelThatTheSessionNames) {
  const std::string context =
      R"({"type":"foreign","format":"codex","record":{"type":"turn_context","payload":{"model":"gpt-5"}}})";
  Append("c", {{},
               Prompt("Hi"),
               {.body = Verbatim{EventKind::kUnknown, "foreign", Json::FromTrusted(context)}},
               Reasoning("", R"({"item_id":"rs_1","opaque":")" + TestToken() + R"("})"),
               Call("a"),
               Result("a", "A"),
               Reasoning("", R"({"item_id":"rs_2","opaque":")" + TestToken() + R"("})")});
  const auto lines = Lines(Export(Provider::kOpenAiResponses, "c", {.model = "gpt-5", .same_account = true}));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[1], StartsWith(R"({"type":"reasoning","summary":[],"encrypted_content":")"));
  EXPECT_THAT(changes_, ElementsAre("reasoning-left-out 1")) << "nothing follows the last one";
  EXPECT_THAT(Export(Provider::kAnthropic, "c", {.model = "gpt-5", .same_account = true}), Not(HasSubstr(TestToken())));
}

TEST_F(RequestsTest, HaveSummariesInPlaceOfCompactedTurns) {
  Append(
      "c",
      {{}, Prompt("One"), Message("1"), {}, Prompt("Two"), Call("a"), {}, Prompt("Three"), Compaction(0, 1, "Short.")});
  EXPECT_THAT(Lines(Export(Provider::kOpenAiChat, "c")),
              ElementsAre(R"({"role":"user","content":"Short."})", R"({"role":"user","content":"Three"})"));
  EXPECT_THAT(changes_, ElementsAre("turn-compacted 2"));
  EXPECT_EQ(Lines(Export(Provider::kOpenAiChat, "c", {.full = true})).size(), 6U);
}

TEST_F(RequestsTest, AreRefusedWhereAnEventIsDamagedOrTheFormatIsUnknown) {
  Append("c", kTalk);
  const std::vector<ConversationId> ids{Id("c")};
  const auto sink = [](std::string_view) { return Status(); };
  EXPECT_EQ(ExportToStream(*log_, "cohere", ids, sink).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ExportToStream(*log_, "openai-chat", ids, sink, {.raw = true}).error().code, ErrorCode::kInvalidArgument);
}

const std::vector<ExportOptions> kTargets{{},
                                          {.model = "claude-opus-4-5", .same_account = true},
                                          {.model = "claude-opus-5", .same_account = true},
                                          {.model = "gpt-5", .same_account = true, .prompt = "Next", .full = true}};

TEST_F(RequestsTest, OfAnyConversationBreakNoRule) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    const std::string conversation = fmt::format("c{}", seed);
    AnyTalk talk(seed);
    std::vector<Event> events;
    for (std::uint64_t count = 1 + talk.random()() % 40; count > 0; --count) events.push_back(talk.Next());
    Append(conversation, events);
    for (const bool sanitized : {false, true}) {
      if (sanitized) Must(Sanitize(*log_, Id(conversation), {.durability = Durability::kBuffered}));
      for (const Provider provider : AllProviders()) {
        for (const ExportOptions& target : kTargets) Export(provider, conversation, target);
      }
    }
    if (HasFailure()) return;
  }
}

// What a request has of the turns that are over is the beginning of every later request, also after repairs that drop
// nothing that was sent and move nothing. There are 12,000 events
// in all 200 conversations.
TEST_F(RequestsTest, OfAConversationThatGrowsBeginWithTheFormerOne) {
  constexpr std::string_view kEnd = "end of what is over";
  const std::uint64_t conversations = SampleSize(30, 200);
  for (std::uint64_t seed = 1; seed <= conversations; ++seed) {
    SCOPED_TRACE(seed);
    const std::string conversation = fmt::format("c{}", seed);
    const bool is_repaired = seed % 2 == 0;
    AnyTalk talk(seed, is_repaired ? AnyTalk::Order::kOfTurns : AnyTalk::Order::kAny);
    std::vector<Event> events;
    std::vector<std::string> over(AllProviders().size());
    for (int step = 0; step < 60; ++step) {
      Event event = talk.Next();
      if (event.kind() == EventKind::kTurnStart && !events.empty()) {
        const std::string copy = fmt::format("{}-{}", conversation, step);
        Append(copy, events);
        for (std::size_t i = 0; i < over.size(); ++i) {
          const std::string request = Export(AllProviders()[i], copy, {.prompt = std::string(kEnd)});
          const std::string all = request.substr(0, request.rfind('\n', request.find(kEnd)));
          over[i] = all.substr(0, all.find_last_not_of(',') + 1);
        }
      }
      events.push_back(event);
      Append(conversation, {event});
      if (is_repaired && talk.random()() % 8 == 0)
        Must(Sanitize(*log_, Id(conversation), {.durability = Durability::kBuffered}));
      for (std::size_t i = 0; i < over.size(); ++i) {
        ASSERT_THAT(Export(AllProviders()[i], conversation), StartsWith(over[i])) << step;
      }
    }
  }
}

}  // namespace
}  // namespace turnlog::requests_test
