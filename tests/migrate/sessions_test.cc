// Conversations of any origin as sessions of tools. What a tool makes of them is stated by LoadSession, which uses
// neither the writers nor the readers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <set>

#include "migrate/gemini/project_hash.h"
#include "migrate/sessions/export_session.h"
#include "migrate/sessions/loaded_session.h"
#include "migrate/sessions/session_ids.h"
#include "tests/migrate/any_talk.h"
#include "tests/migrate/codex_samples.h"
#include "tests/migrate/import_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/must.h"
#include "tests/support/shared_data.h"
#include "turnlog/migrate/session_tool.h"
#include "turnlog/sanitize/sanitize.h"

namespace turnlog::sessions_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class SessionsTest : public ImportTest {
 protected:
  static std::string ExportFrom(Log& log, std::string_view format, const std::string& conversation,
                                const ExportOptions& options = {}) {
    std::string out;
    const auto sink = [&](std::string_view piece) { return out += piece, Status(); };
    const std::vector<ConversationId> ids{Id(conversation)};
    const ExportReport report = Must(ExportToStream(log, format, ids, sink, options));
    for (const auto& [name, error] : report.failures) ADD_FAILURE() << format << ": " << name << ": " << error.message;
    return out;
  }
  std::string Export(std::string_view format, const std::string& conversation, const ExportOptions& options = {}) {
    return ExportFrom(*log_, format, conversation, options);
  }

  void Append(const std::string& conversation, const std::vector<Event>& events) {
    Must(log_->Append(Id(conversation), std::span<const Event>(events), {.durability = Durability::kBuffered}));
  }

  // The tool loads the session whole, and its provider accepts what it sends.
  static LoadedSession Load(SessionTool tool, const std::string& text) {
    const auto loaded = LoadSession(tool, text);
    if (!loaded) {
      ADD_FAILURE() << ToString(tool) << ": " << loaded.error().message << " in " << text;
      return {};
    }
    EXPECT_EQ(loaded->unreachable, 0U) << text;
    for (const ProviderFinding& finding : Must(LintRequest(loaded->provider, loaded->messages))) {
      if (finding.rule->verdict != Verdict::kRefused) continue;
      ADD_FAILURE() << ToString(tool) << ": " << finding.rule->id << " at " << finding.pointer << " in "
                    << loaded->messages;
    }
    return *loaded;
  }

  static std::string NameOf(SessionTool tool, const std::string& conversation) {
    const std::string id = SessionIdOf(tool, conversation);
    switch (tool) {
      case SessionTool::kClaude:
        return id + ".jsonl";
      case SessionTool::kCodexCli:
        return "rollout-2026-01-02T03-04-05-" + id + ".jsonl";
      case SessionTool::kOpencodeCli:
        return id + ".json";
      case SessionTool::kGeminiCli:
        return "session-2026-01-02T03-04-" + id.substr(0, 8) + ".jsonl";
    }
    return {};
  }

  // Sessions are written a record a line, with the white space of arguments changed. Gemini CLI's have a mark before
  // prompts that look like commands. opencode has a call and its result in one part, so that calls at the same time
  // are read as one after the other.
  static std::string Comparable(SessionTool tool, std::string request) {
    std::erase(request, ' ');
    Replace(request, "\\n", "");
    if (tool == SessionTool::kGeminiCli) Replace(request, "\"Request:", "\"");
    if (tool != SessionTool::kOpencodeCli) return request;
    constexpr std::string_view kAssistant = "\n{\"role\":\"assistant\"";
    for (std::size_t at = 0; (at = request.find(kAssistant, at)) != std::string::npos;) {
      request.erase(at, std::min(request.find('\n', at + 1), request.size()) - at);
    }
    return request;
  }
  // std::regex would need the stack of some hundred bytes for each character of a long text.
  static void Replace(std::string& text, std::string_view what, std::string_view with) {
    std::string replaced;
    std::size_t begin = 0;
    for (std::size_t at = 0; (at = text.find(what, begin)) != std::string::npos; begin = at + what.size()) {
      replaced.append(text, begin, at - begin).append(with);
    }
    text = replaced.append(text, begin);
  }

  static std::string_view FormatOf(SessionTool tool) {
    return tool == SessionTool::kGeminiCli ? "gemini-cli" : ToString(tool);
  }

  // Each tool loads the sessions, and they come back as conversations from which the model gets the same.
  void CheckAll(const std::vector<std::string>& conversations, const ExportOptions& options) {
    for (const SessionTool tool : AllSessionTools()) {
      TempDir dir;
      for (const std::string& conversation : conversations) {
        SCOPED_TRACE(fmt::format("{} for {}", conversation, ToString(tool)));
        std::string session;
        ExportReport report;
        const auto sink = [&](std::string_view piece) { return session += piece, Status(); };
        Must(MakeSession(*log_, tool, Id(conversation), sink, options, report));
        EXPECT_EQ(Load(tool, session).id, SessionIdOf(tool, conversation));
        std::ofstream(dir / NameOf(tool, conversation), std::ios::binary) << session;
      }
      TempStore read;
      const ImportReport report = Must(Import(*read.log, ToString(tool), std::vector{dir.path()}));
      ASSERT_EQ(report.failed, 0U);
      for (const std::string& conversation : conversations) ReadsBack(tool, conversation, *read.log, options);
    }
  }

  void ReadsBack(SessionTool tool, const std::string& conversation, Log& read, const ExportOptions& options) {
    SCOPED_TRACE(fmt::format("{} for {}", conversation, ToString(tool)));
    const std::string id = SessionIdOf(tool, conversation);
    const ExportOptions request{.prompt = "Next", .full = true};
    for (const Provider provider : AllProviders()) {
      for (const ProviderFinding& finding :
           Must(LintRequest(provider, ExportFrom(read, ToString(provider), id, request)))) {
        ADD_FAILURE() << ToString(provider) << ": " << finding.rule->id;
      }
    }
    EXPECT_EQ(Comparable(tool, ExportFrom(read, "openai-chat", id, request)),
              Comparable(tool, Export("openai-chat", conversation, {.prompt = "Next", .full = options.full})));
  }

  // Those with something to go on with.
  std::vector<std::string> Conversations() {
    std::vector<std::string> names;
    for (const ConversationId& id : All()) {
      ExportReport report;
      const auto sink = [](std::string_view) { return Status(); };
      const auto made = MakeSession(*log_, SessionTool::kClaude, id, sink, {}, report);
      EXPECT_TRUE(made || made.error().code == ErrorCode::kInvalidArgument) << id.text();
      if (made) names.push_back(id.text());
    }
    return names;
  }
};

const Event kPrompt{.body = ChatRequest{.content = "Hi", .author = {}, .schema = {}},
                    .timestamp = Timestamp{1'767'323'045'678'000'000}};
Event Message(const std::string& text) { return {.body = ChatResponse{ChatPart::kMessage, text}}; }
Event Call(const std::string& id) { return {.body = ToolCallRequest{id, "ls", Json::FromTrusted(R"({"dir":"."})")}}; }
Event Result(const std::string& id, const std::string& text, bool error = false) {
  return {.body = ToolCallResponse{.id = id, .content = text, .is_error = error, .denied = {}}};
}

TEST_F(SessionsTest, OfAnyConversationAreLoadedWholeAndReadBack) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    AnyTalk talk(seed);
    std::vector<Event> events;
    for (std::uint64_t count = 1 + talk.random()() % 40; count > 0; --count) events.push_back(talk.Next());
    Append(fmt::format("c{}", seed), events);
  }
  CheckAll(Conversations(), {.folder = "/home/ann/boat", .model = "claude-opus-4-5", .same_account = true});
  for (const ConversationId& id : All()) Must(Sanitize(*log_, id, {.durability = Durability::kBuffered}));
  CheckAll(Conversations(), {.full = true});
}

// The matrix of formats: what other projects' tools have written, for each tool.
TEST_F(SessionsTest, OfSessionsOfEveryFormatAreLoadedWholeAndReadBack) {
  TURNLOG_SHARED_OR_SKIP(corpus, "corpus/foreign");
  Must(Import(*log_, "auto", std::vector<std::filesystem::path>{corpus}));
  const std::vector<std::string> conversations = Conversations();
  ASSERT_GT(conversations.size(), 50U);
  CheckAll(conversations, {});
}

// What a session has of the turns that are over is the beginning of every later one, also after repairs that drop
// nothing that was sent and move nothing. There are 13,000 events
// in all 200 conversations.
TEST_F(SessionsTest, OfAConversationThatGrowsBeginWithTheFormerOne) {
  const auto without_end = [](SessionTool tool, std::string session) {
    if (tool == SessionTool::kOpencodeCli) return session.substr(0, session.rfind("\n]"));
    if (tool == SessionTool::kGeminiCli) return session.substr(0, session.rfind("{\"$set\""));
    return session;
  };
  const auto make = [&](SessionTool tool, const std::string& conversation) {
    std::string session;
    ExportReport report;
    const auto sink = [&](std::string_view piece) { return session += piece, Status(); };
    const bool made = MakeSession(*log_, tool, Id(conversation), sink, {}, report).has_value();
    return made ? without_end(tool, session) : std::string();
  };
  const std::uint64_t conversations = SampleSize(30, 200);
  for (std::uint64_t seed = 1; seed <= conversations; ++seed) {
    SCOPED_TRACE(seed);
    const std::string conversation = fmt::format("c{}", seed);
    const bool is_repaired = seed % 2 == 0;
    AnyTalk talk(seed, is_repaired ? AnyTalk::Order::kOfTurns : AnyTalk::Order::kAny);
    std::map<SessionTool, std::string> over;
    for (int step = 0; step < 65; ++step) {
      const Event event = talk.Next();
      const bool ends_turn = event.kind() == EventKind::kTurnStart && step > 0;
      for (const SessionTool tool : AllSessionTools()) {
        if (ends_turn) over[tool] = make(tool, conversation);
      }
      Append(conversation, {event});
      if (is_repaired && talk.random()() % 8 == 0)
        Must(Sanitize(*log_, Id(conversation), {.durability = Durability::kBuffered}));
      for (const SessionTool tool : AllSessionTools()) ASSERT_THAT(make(tool, conversation), StartsWith(over[tool]));
    }
  }
}

TEST_F(SessionsTest, OfClaudeCodeAreOneChainOfBlocks) {
  Append("c", {{}, kPrompt, Message("Looking."), Call("a"), Call("b"), Result("b", "B", true), Result("a", "A")});
  const std::string session = Export("claude-code", "c", {.folder = "/boat", .model = "claude-opus-5"});
  const std::string id = SessionIdOf(SessionTool::kClaude, "c");
  EXPECT_THAT(session,
              StartsWith(fmt::format(R"({{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/boat",)"
                                     R"("sessionId":"{}","version":"2.1.0","gitBranch":"","type":"user",)"
                                     R"("message":{{"role":"user","content":"Hi"}},"uuid":")",
                                     id)));
  EXPECT_THAT(session, HasSubstr(R"("timestamp":"2026-01-02T03:04:05.678Z"})"));
  EXPECT_THAT(session,
              HasSubstr(R"("content":[{"type":"tool_result","tool_use_id":"b","content":"B","is_error":true}])"));
  EXPECT_EQ(std::ranges::count(session, '\n'), 6);
}

TEST_F(SessionsTest, OfCodexBeginWithWhatItRequires) {
  Append("c", {{}, kPrompt, Message("Done.")});
  const std::string session = Export("codex", "c", {.folder = "/boat"});
  EXPECT_THAT(session,
              StartsWith(R"({"timestamp":"2026-01-02T03:04:05.678Z","type":"session_meta","payload":{"id":")"));
  EXPECT_THAT(session, HasSubstr(R"("payload":{"type":"user_message","message":"Hi")")) << "listed by its first prompt";
  EXPECT_FALSE(LoadSession(SessionTool::kCodexCli, session.substr(session.find('\n') + 1)));
}

// What Codex itself has written is no event, but what a user has written about it is one.
TEST_F(SessionsTest, OfCodexHaveAnEventForEachPrompt) {
  const auto session = [&](const std::string& conversation, const std::string& text) {
    Event prompt = kPrompt;
    std::get<ChatRequest>(prompt.body).content = text;
    Append(conversation, {{}, prompt, Message("Done.")});
    return Export("codex", conversation);
  };
  EXPECT_THAT(session("a", "<b> is obsolete"), HasSubstr(R"("user_message","message":"<b> is obsolete")"));
  EXPECT_THAT(session("b", "# AGENTS.md is outdated"),
              HasSubstr(R"("user_message","message":"# AGENTS.md is outdated")"));
  EXPECT_THAT(session("c", "<skill>x</skill>"), Not(HasSubstr("user_message")));
}

TEST_F(SessionsTest, OfCodexLoseTheirLastPromptsWhenTheseAreRolledBack) {
  const auto load = [](const std::vector<std::string>& records) {
    std::string file =
        CodexRecord("session_meta", R"({"id":"i","timestamp":"t","cwd":"/","originator":"o","cli_version":"0"})");
    for (const std::string& record : records) file += "\n" + record;
    return Must(LoadSession(SessionTool::kCodexCli, file)).messages;
  };
  const std::string undo = CodexRecord("event_msg", R"({"type":"thread_rolled_back","num_turns":1})");
  const std::string skill = CodexUser("<skill>x</skill>"),
                    context = CodexUser("<environment_context>e</environment_context>");
  EXPECT_THAT(load({CodexUser("first"), CodexUser("$deploy"), skill, CodexAssistant("two"), undo}),
              AllOf(HasSubstr("first"), Not(HasSubstr("$deploy")), Not(HasSubstr("skill"))));
  EXPECT_THAT(load({CodexUser("first"), CodexUser("<b> is obsolete"), undo}),
              AllOf(HasSubstr("first"), Not(HasSubstr("obsolete"))));
  EXPECT_THAT(load({context, CodexUser("first"), undo, undo}),
              AllOf(HasSubstr("environment_context"), Not(HasSubstr("first"))));
}

// Gemini CLI leaves out prompts that look like commands.
TEST_F(SessionsTest, OfGeminiKeepPromptsThatLookLikeCommands) {
  Event command = kPrompt;
  std::get<ChatRequest>(command.body).content = " /etc is where?";
  Append("c", {{}, command, Message("There.")});
  EXPECT_THAT(Load(SessionTool::kGeminiCli, Export("gemini-cli", "c")).messages, HasSubstr("Request:  /etc is where?"));
}

TEST_F(SessionsTest, HaveASummaryInPlaceOfCompactedTurnsUnlessFull) {
  Append("c", {{},
               kPrompt,
               Message("One"),
               {},
               kPrompt,
               {.body = Verbatim{EventKind::kCompaction, "compaction",
                                 Json::FromTrusted(R"({"type":"compaction","from_turn":0,"to_turn":0,)"
                                                   R"("summary":{"summary":"Short."}})")}}});
  CheckAll({"c"}, {});
  CheckAll({"c"}, {.full = true});
  for (const SessionTool tool : AllSessionTools()) {
    EXPECT_THAT(Export(FormatOf(tool), "c"), HasSubstr("Short."));
    EXPECT_THAT(Export(FormatOf(tool), "c", {.full = true}), HasSubstr("One"));
  }
}

TEST(SessionIds, AreMadeOfTheConversationsAndTheTool) {
  const std::string uuid = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";
  std::set<std::string> ids{uuid};
  for (const SessionTool tool : AllSessionTools()) ids.insert(SessionIdOf(tool, uuid));
  EXPECT_EQ(ids.size(), AllSessionTools().size() + 1) << "each is another conversation when it is imported";
  EXPECT_THAT(SessionIdOf(SessionTool::kOpencodeCli, "ses_1a"), testing::MatchesRegex("ses_[0-9a-f]{26}"));
  EXPECT_EQ(SessionIdOf(SessionTool::kClaude, "talk"), DerivedUuid("claude-code talk"));
  EXPECT_THAT(DerivedUuid("talk"),
              testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_NE(DerivedUuid("talk"), DerivedUuid("walk"));
  EXPECT_EQ(MillisecondTime(Timestamp{-1}), "1969-12-31T23:59:59.999Z");
}

TEST(GeminiProjectHash, IsTheSha256OfThePath) {
  EXPECT_EQ(GeminiProjectHash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(GeminiProjectHash(std::string(56, 'a')),
            "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT_EQ(GeminiProjectHash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace turnlog::sessions_test
