// Opens a store, appends a turn in which a tool asks the user a question, and reads it back.
// Usage: quickstart [FOLDER]
#include <cstdlib>
#include <iostream>
#include <vector>

#include "turnlog/event_json.h"
#include "turnlog/event_walk.h"
#include "turnlog/open_log.h"

using namespace turnlog;

namespace {

template <class T>
T OrExit(Result<T> result) {
  if (!result) {
    std::cerr << "quickstart: " << result.error().message << "\n";
    std::exit(EXIT_FAILURE);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

std::vector<Event> TurnWithAQuestion(const InquiryId& id) {
  Question question;
  question.text = "out.txt exists. Overwrite it?";
  question.answer_type.kind = AnswerKind::kBoolean;
  const InquirySource source{.kind = SourceKind::kTool, .name = "write_file", .extra = {}};
  return {
      OrExit(ParseEvent(R"({"type": "turn_start", "timestamp": "2026-03-18T19:01:03Z"})")),
      OrExit(ParseEvent(R"({"type": "chat_request", "content": "Write the report to out.txt."})")),
      OrExit(ParseEvent(R"({"type": "tool_call_request", "id": "call_1", "name": "write_file",
                            "arguments": {"path": "out.txt"}})")),
      Event{.body = InquiryRequest{id, source, question, {}}},  // the same in C++
      Event{.body = InquiryResponse{Outcome::kAnswered, id, OrExit(ParseJson("true")), {}, {}}},
      OrExit(ParseEvent(R"({"type": "tool_call_response", "id": "call_1", "content": "written", "is_error": false})")),
      OrExit(ParseEvent(R"({"type": "chat_response", "message": "The report is in out.txt."})")),
  };
}

}  // namespace

int main(int argc, char** argv) {
  const auto log = OrExit(OpenLog(argc > 1 ? argv[1] : "quickstart-store"));
  const auto conversation = OrExit(ConversationId::Parse("report"));
  const auto id = OrExit(MakeInquiryId("call_1", "overwrite", 1));

  OrExit(log->Append(conversation, TurnWithAQuestion(id)));  // all events are on disk when this returns

  const auto cursor = OrExit(log->Read(conversation));
  OrExit(WalkEvents(*cursor, [](const Record& record, const EventView& event) -> Result<Walk> {
    std::cout << record.seq.value << "  " << ToJson(event) << "\n";
    return Walk::kOn;
  }));

  const InquiryIdView wanted{.text = id.text, .key = {}};
  for (const InquiryRecord& inquiry : OrExit(log->FindInquiry(conversation, wanted))) {
    std::cout << id.text << " in turn " << inquiry.turn.value << ": asked by event "
              << inquiry.request.value_or(Seq{}).value << ", answered by event "
              << inquiry.response.value_or(Seq{}).value << "\n";
  }
  return EXIT_SUCCESS;
}
