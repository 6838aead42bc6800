#include "tests/logctl/inquiries_fixture.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "remote/remote_log.h"
#include "tests/support/must.h"
#include "turnlog/inquiry/approval.h"
#include "turnlog/inquiry/ask_user.h"
#include "turnlog/inquiry/ask_user_question.h"

namespace turnlog {

Question InquiriesTest::Of(AnswerKind kind, std::string_view text) {
  Question question;
  question.text = text;
  question.answer_type.kind = kind;
  return question;
}

Question InquiriesTest::Select(std::string_view text, const std::vector<std::string>& values_json) {
  Question question = Of(AnswerKind::kSelect, text);
  for (const std::string& value : values_json) question.answer_type.options.push_back({Must(ParseJson(value)), {}, {}});
  return question;
}

void InquiriesTest::Leave(const ToolCallRequest& call, const std::function<void(TurnRecorder&)>& ask) {
  const auto log = Open(OpenMode::kCreate);
  const auto turn = Must(TurnRecorder::Begin(*log, Must(ConversationId::Parse("c")), {"go", {}, {}}));
  Must(turn->RequestTool(call));
  ask(*turn);
  turn->Suspend();
}

void InquiriesTest::LeaveQuestions(const std::vector<Question>& questions) {
  Leave({"call_1", "deploy", {}}, [&](TurnRecorder& turn) {
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const InquirySource source{.kind = SourceKind::kTool, .name = "deploy", .extra = {}};
      Must(turn.Ask({"call_1", "q" + std::to_string(i + 1), source, questions[i], {}}));
    }
  });
}

void InquiriesTest::LeaveForm(std::string_view arguments) {
  Leave({"call_1", "form", Must(ParseJson(arguments))}, [](TurnRecorder& turn) {
    const auto later = [](const InquiryRequest&, std::string_view) -> Result<PromptReply> { return PromptReply{}; };
    Must(AskUser(turn, "call_1", {.user = later, .assistant = {}, .model = {}}));
  });
}

void InquiriesTest::LeaveUserQuestions(std::string_view arguments) {
  Leave({"call_1", "ask_user_question", Must(ParseJson(arguments))},
        [](TurnRecorder& turn) { Must(AskUserQuestion(turn, "call_1", AgentKind::kMain)); });
}

void InquiriesTest::LeaveApproval(std::string_view arguments) {
  Leave({"call_1", "deploy", Must(ParseJson(arguments))}, [](TurnRecorder& turn) {
    const auto later = [](const InquiryRequest&, std::string_view) -> Result<PromptReply> { return PromptReply{}; };
    Must(Approve(turn, "call_1", {.user = later}));
  });
}

std::unique_ptr<Running> InquiriesTest::Serve() {
  auto service = std::make_unique<Running>(Strings{"serve", "--store", store()});
  EXPECT_THAT(service->ReadLine(), testing::HasSubstr("serving at"));
  return service;
}

std::shared_ptr<const WaitedAnswer> InquiriesTest::WaitForSecret(std::thread& agent) {
  auto waited = std::make_shared<WaitedAnswer>();
  std::shared_ptr<Log> log = Open(OpenMode::kWrite);
  agent = std::thread([waited, log] {
    *waited = Must(WaitForAnswer(*log, Must(ConversationId::Parse("c")), "call_1.q1.1", {.takes_secret = true}));
  });
  ServiceClient& service = dynamic_cast<RemoteLog&>(*log).client();
  while (!Must(service.Get("/metrics")).contains("turnlog_waiting_clients 1\n")) std::this_thread::yield();
  return waited;
}

Strings InquiriesTest::EventsWith(const std::string& text) {
  Strings found;
  for (const std::string& line : Lines(Output({"cat", "c"}))) {
    static const std::regex envelope(R"re("(conversation|seq|timestamp|who)":("[^"]*"|\d+),)re");
    if (line.contains(text)) found.push_back(std::regex_replace(line, envelope, ""));
  }
  return found;
}

Strings InquiriesTest::FilesWith(const std::string& bytes) {
  Strings found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(store())) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    if (text.str().contains(bytes)) found.push_back(entry.path().string());
  }
  return found;
}

}  // namespace turnlog
