#include "tests/redact/redact_fixture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/secrets/encodings.h"
#include "turnlog/event_json.h"
#include "turnlog/open_log.h"

namespace turnlog {
Event FromJson(std::string_view json) { return Must(ParseEvent(json)); }

Event Answered(std::string_view id, std::string_view value) {
  Event event;
  event.body = InquiryResponse{.outcome = Outcome::kAnswered, .id = Opaque(id), .answer = JsonString(value)};
  return event;
}

std::vector<Event> LeakedAnswer(std::string_view id, std::string_view value) {
  return {NewTurn(), Answered(id, value), AskSecret(Opaque(id))};
}

std::vector<Event> Everywhere(std::string_view value) {
  constexpr std::string_view kTemplates[] = {
      R"({"type":"turn_start","metadata":{"note":"V"}})",
      R"({"type":"turn_start","later":{"deep":["V"]}})",
      R"({"type":"chat_request","content":"a V b"})",
      R"({"type":"chat_request","content":"a","author":"V"})",
      R"({"type":"chat_request","content":"a","schema":{"title":"V"}})",
      R"({"type":"chat_response","message":"it is V."})",
      R"({"type":"chat_response","reasoning":"it is V."})",
      R"({"type":"chat_response","data":{"V":["V",1]}})",
      R"({"type":"tool_call_request","id":"c1","name":"V","arguments":{}})",
      R"({"type":"tool_call_request","id":"c2","name":"run","arguments":{"command":"curl -H V"}})",
      R"({"type":"tool_call_response","id":"c1","content":"V\nV","is_error":false})",
      R"({"type":"tool_call_response","id":"c2","content":"","is_error":true,"denied":{"reason":"V","x":"V"}})",
      R"({"type":"inquiry_request","id":"q1","source":{"source":"tool","name":"V","y":"V"},"question":{"text":"V?",
          "answer_type":{"type":"select","options":[{"value":"V","description":"V","z":"V"}],"w":"V"},"default":"V",
          "context":"V","persistence":"V","v":"V"}})",
      R"({"type":"inquiry_request","id":"q2","source":{"source":"user"},"question":{"text":"?",
          "answer_type":{"type":"schema","schema":{"const":"V"}},"default":{"a":"V"}}})",
      R"({"type":"inquiry_response","outcome":"answered","id":"q1","answer":{"a":"V"},"reason":"V",
          "responder":{"kind":"assistant","model":"V","u":"V"}})",
      R"({"type":"inquiry_response","outcome":"cancelled","id":"q2","reason":"V"})",
      R"({"type":"config_delta","timestamp":"2026-01-02T03:04:05Z","delta":{"key":"V"}})",
      R"({"type":"compaction","summary":"V"})",
      R"({"type":"never_seen","event_id":"e1","V":"V","n":[{"V":"V"}]})",
      R"({"type":"redaction","by":"V"})",
      R"({"type":"repair","profile":"V","head":3,"from":1,"to":3,"unknown":"V","items":[{"insert_after":1,"cause":1,
          "rule":"interrupted-tool-call","event":{"type":"tool_call_response","id":"x","content":"V","is_error":true}}]})",
  };
  FakeSecrets fake(1);
  std::vector<Event> events;
  for (const std::string_view pattern : kTemplates) {
    std::string json(pattern);
    for (std::size_t at = json.find('V'); at != std::string::npos; at = json.find('V', at)) {
      const std::string escaped = EscapeJson(value, fake, 1000);
      json.replace(at, 1, escaped);
      at += escaped.size();
    }
    events.push_back(FromJson(json));
  }
  events.push_back(Say("the bytes as they stood outside"));
  events.back().source_text = fmt::format("{{ {} }}", value);
  return events;
}

std::vector<std::string> Encoded(std::string_view value) {
  FakeSecrets fake(2);
  std::vector<std::string> texts{std::string(value), EscapeJson(value, fake, 1000), EscapeJson(value, fake, 1),
                                 EscapeJson(EscapeJson(value, fake, 2), fake, 2), EscapePercent(value, fake, 1)};
  for (std::size_t before = 0; before < 3; ++before) {
    for (const std::string_view letters : {kBase64, kWeb64}) {
      texts.push_back(EncodeBase64(std::string(before, 'x') + std::string(value) + "tail", letters));
    }
  }
  texts.push_back(EncodeBase64(EncodeBase64(value)));
  return texts;
}

std::vector<std::uint64_t> SeqsOf(const RedactedConversation& conversation) {
  std::vector<std::uint64_t> seqs;
  seqs.reserve(conversation.events.size());
  for (const RedactedEvent& event : conversation.events) seqs.push_back(event.seq.value);
  return seqs;
}

RedactionProof RedactTest::Redact(Log& log, const RedactionTargets& targets) {
  const auto redaction = Must(Redaction::Plan(log, targets));
  Must(redaction->Apply("tester"));
  return Must(redaction->Prove());
}

int RedactTest::StopBeforeEachStep(const std::function<void(Log&)>& fill, const std::vector<std::string>& gone) {
  constexpr int kMost = 20;
  int stops = 0;
  for (bool whole = false; !whole && stops < kMost; stops += whole ? 0 : 1) {
    SCOPED_TRACE(stops);
    const TempDir folder;
    const auto log = Must(OpenLog(folder / "store"));
    fill(*log);
    int step = 0;
    WatchedLog failing(*log, [&]() -> Status {
      if (step++ < stops) return {};
      return std::unexpected(Error{ErrorCode::kIo, "stopped"});
    });
    whole = Must(Redaction::Plan(failing, Secrets()))->Apply("tester").has_value();
    const auto again = Must(Redaction::Plan(*log, Secrets()));
    Must(again->Apply("tester"));
    EXPECT_TRUE(Must(again->Prove()).clean());
    for (const std::string& text : gone) EXPECT_THAT(FilesWith(folder / "store", text), testing::IsEmpty());
  }
  EXPECT_LT(stops, kMost) << "it never ends";
  return stops;
}

std::vector<std::string> RedactTest::Json(std::string_view conversation) {
  std::vector<std::string> lines;
  for (const Event& event : RawEvents(*log_, conversation)) lines.push_back(ToJson(event));
  return lines;
}

}  // namespace turnlog
