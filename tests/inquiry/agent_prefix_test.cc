// An agent's loop like that of examples/agent_loop.cc, killed at every event: a process that runs the same loop from
// there comes to the same end, every request has one response, and the user is asked nothing twice.
#include <fmt/format.h>

#include <map>
#include <set>

#include "tests/inquiry/inquiry_fixture.h"
#include "turnlog/event_walk.h"
#include "turnlog/inquiry/approval.h"
#include "turnlog/inquiry/ask_user.h"
#include "turnlog/inquiry/denials.h"
#include "turnlog/inquiry/messages.h"

namespace turnlog::agent_prefix_test {
namespace {

constexpr std::string_view kForm = R"({"questions":[
  {"id":"kind","text":"What?","answer_type":"select","options":["release","outage"]},
  {"id":"until","text":"Until when?","when":{"question_id":"kind","equals":"outage"}},
  {"id":"mail","text":"By mail too?","answer_type":"boolean"}]})";

class AgentPrefixTest : public InquiryTest {
 protected:
  Prompter User() {
    return [this](const InquiryRequest& inquiry, std::string_view) -> Result<PromptReply> {
      static const std::map<std::string, std::string> kAnswers{{"Run deploy?", "true"},      {"Run rm?", "false"},
                                                               {"Go live?", "true"},         {"What?", R"("outage")"},
                                                               {"Until when?", R"("then")"}, {"By mail too?", "true"}};
      prompts_.push_back(inquiry.question.text);
      PromptReply reply{PromptReply::Kind::kAnswer, J(kAnswers.at(inquiry.question.text)), false, {}};
      if (reply.answer == J("false")) reply.note = "still needed";
      return reply;
    };
  }

  static void RunTool(TurnRecorder& turn, const ToolCallRequest& call, const Responders& responders) {
    if (call.name == kAskUserTool.name) {
      Must(AskUser(turn, call.id, responders));
      return;
    }
    if (Must(Approve(turn, call.id, responders)).kind != Approval::Kind::kApproved) return;
    const Target careful = Must(ParseTarget(R"("assistant_with_escalation")"));
    const Resolution live = Must(Inquire(turn, Asks(call.id, "live", Boolean("Go live?")), careful, responders));
    Must(turn.FinishTool(call.id, {"live: " + live.answer.text(), false, {}}));
  }

  void Loop(TurnRecorder& turn) {
    const Responders responders{.user = User(), .assistant = [](const AssistantRequest&) -> Result<std::string> {
                                  return R"({"reason":"untested","answer":false})";
                                }};
    for (TurnState state = turn.state(); state.activity() != Activity::kIdle; state = turn.state()) {
      for (const OpenCall* call : state.calls()) RunTool(turn, call->request, responders);
      if (!state.calls().empty()) continue;
      const auto denials = Must(UndeliveredDenials(*log_, turn.conversation()));
      const auto messages = Must(ReadMessages(*log_, turn.conversation()));
      turn.StartMessage();
      if (messages.back().role == PromptMessage::Role::kTools) {
        told_.push_back(DenialContext(denials));
        Must(turn.Respond({ChatPart::kMessage, "done"}));
      } else {
        Must(turn.RequestTools(std::vector{Call("a", "deploy"), Call("b", "rm"), Call("c", kAskUserTool.name, kForm)}));
      }
    }
  }

  // Each open request of the sanitized view, and each response that answers none.
  std::vector<std::string> Unpaired(const ConversationId& id) {
    std::set<std::string> open;
    std::vector<std::string> unpaired;
    const auto pair = [&](const std::string& request) {
      if (open.erase(request) == 0) unpaired.push_back(request);
    };
    const auto cursor = Must(log_->Read(id));
    Must(WalkEvents(*cursor, [&](const Record&, const EventView& view) {
      const Event event = Own(view);
      if (const auto* call = std::get_if<ToolCallRequest>(&event.body)) open.insert(call->id);
      if (const auto* result = std::get_if<ToolCallResponse>(&event.body)) pair(result->id);
      if (const auto* asked = std::get_if<InquiryRequest>(&event.body)) open.insert(asked->id.text);
      if (const auto* answer = std::get_if<InquiryResponse>(&event.body)) pair(answer->id.text);
      return Result<Walk>(Walk::kOn);
    }));
    unpaired.insert(unpaired.end(), open.begin(), open.end());
    return unpaired;
  }

  std::vector<std::string> prompts_, told_;
};

TEST_F(AgentPrefixTest, EveryPrefixOfItsLogIsResumedToTheSameEnd) {
  const auto turn = Begin("deploy");
  Loop(*turn);
  const auto whole = Must(ReadMessages(*log_, c_));
  EXPECT_EQ(prompts_.size(), 6U);
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_THAT(told_.front(), testing::HasSubstr("The user denied rm (call b): still needed"));
  const std::size_t length = Events(*log_).size();
  for (std::size_t prefix = 2; prefix <= length; ++prefix) {
    if (prefix == 3 || prefix == 4) continue;  // the calls of a message are one append
    const ConversationId copy = Id(fmt::format("prefix {}", prefix));
    const auto cursor = Must(log_->ReadRaw(c_, {.limit = prefix}));
    Must(WalkEvents(*cursor, [&](const Record&, const EventView& event) {
      Must(log_->Append(copy, {&event, 1}, kBuffered));
      return Result<Walk>(Walk::kOn);
    }));
    prompts_.clear(), told_.clear();
    const auto resumed = Must(TurnRecorder::Resume(*log_, copy));
    Loop(*resumed);
    EXPECT_EQ(Must(ReadMessages(*log_, copy)), whole) << prefix;
    EXPECT_THAT(Unpaired(copy), testing::IsEmpty()) << prefix;
    EXPECT_LE(prompts_.size(), 6U);
    EXPECT_EQ(Must(log_->Pending(copy)).size(), 0U) << prefix;
    // What was answered is not asked again: as many answers by the user as there are questions for one.
    const std::set<std::string> different(prompts_.begin(), prompts_.end());
    EXPECT_EQ(different.size(), prompts_.size()) << prefix;
    EXPECT_EQ(Must(log_->Info(copy)).last.value, length) << prefix;
  }
}

}  // namespace
}  // namespace turnlog::agent_prefix_test
