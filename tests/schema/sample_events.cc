#include "tests/schema/sample_events.h"

#include <utility>

namespace turnlog {
namespace {

using namespace std::string_literals;

InquiryId KeyedId() { return {"call.1.overwrite.2", InquiryKey{"call.1", "overwrite", 2}}; }
InquiryId OpaqueId() { return {"call_1.overwrite", std::nullopt}; }

Event Make(Event::Body body) {
  Event event;
  event.body = std::move(body);
  return event;
}

// Whatever an event of any kind but the verbatim ones may carry.
Event Full(Event::Body body) {
  Event event = Make(std::move(body));
  event.timestamp = Timestamp{1'773'834'863'123'456'789};
  event.event_id = "evt-7f";
  event.metadata = J(R"({"model":"m-1","cost":1.50,"tags":[]})");
  event.extra = J(R"({"request_id":"r1","big":18446744073709551616,"twice":1,"twice":2})");
  event.source_text = "{ \"as\" : \"found\" }\n";
  return event;
}

Question FullQuestion() {
  return {"Overwrite \"a.txt\"?",
          {AnswerKind::kSelect,
           {{J("\"yes\""), "write it", J(R"({"hotkey":"y"})")}, {J("{\"n\": [1, 2.0]}"), std::nullopt, {}}},
           false,
           {},
           J(R"({"ordered":true})")},
          J("\"yes\""),
          "line one\nline two",
          true,
          "turn",
          J(R"({"header":"File"})")};
}

Event Inquiry(AnswerType type) {
  return Make(InquiryRequest{OpaqueId(), {SourceKind::kUser, "", {}}, {"?", std::move(type), {}, {}, {}, {}, {}}, {}});
}

void AddInquiries(std::vector<SampleEvent>& all) {
  const Question text{"Name?", {AnswerKind::kText, {}, false, {}, {}}, {}, {}, false, {}, {}};
  all.push_back({"inquiry_request", Make(InquiryRequest{OpaqueId(), {SourceKind::kTool, "fs", {}}, text, {}})});
  all.push_back(
      {"inquiry_request_full",
       Full(InquiryRequest{KeyedId(), {SourceKind::kOther, "hook", J(R"({"v":1})")}, FullQuestion(), "c.o.1"})});
  all.push_back({"inquiry_request_boolean", Inquiry({AnswerKind::kBoolean, {}, false, {}, {}})});
  all.push_back(
      {"inquiry_request_multi_select", Inquiry({AnswerKind::kMultiSelect, {{J("1"), "one", {}}}, false, {}, {}})});
  all.push_back({"inquiry_request_schema", Inquiry({AnswerKind::kSchema, {}, false, J(R"({"type":"object"})"), {}})});
  all.push_back({"inquiry_request_secret", Inquiry({AnswerKind::kSecret, {}, false, {}, {}})});
  all.push_back({"inquiry_response_answered",
                 Make(InquiryResponse{Outcome::kAnswered, OpaqueId(), J("null"), std::nullopt, std::nullopt})});
  all.push_back({"inquiry_response_answered_full",
                 Full(InquiryResponse{Outcome::kAnswered, KeyedId(), J(R"({"a": [true]})"), "because",
                                      Responder{"assistant", "m-1", {}, {}, J(R"({"effort":"low"})")}})});
  all.push_back({"inquiry_response_cancelled",
                 Full(InquiryResponse{Outcome::kCancelled, KeyedId(), {}, "backend_error", std::nullopt})});
  all.push_back({"inquiry_response_redacted",
                 Full(InquiryResponse{Outcome::kRedacted, KeyedId(), {}, std::nullopt, std::nullopt})});
}

// What events may hold since version 3.
void AddDecisions(std::vector<SampleEvent>& all) {
  const Responder ann{"user", std::nullopt, "ann", "page", J(R"({"seat":1})")};
  const AnswerType open{AnswerKind::kMultiSelect, {{J("1"), {}, {}}}, true, {}, {}};
  all.push_back({"inquiry_request_other", Inquiry(open)});
  all.push_back({"inquiry_response_redacted_by", Make(InquiryResponse{Outcome::kRedacted, KeyedId(), {}, {}, ann})});
  all.push_back({"inquiry_response_by", Make(InquiryResponse{Outcome::kAnswered, KeyedId(), J("1"), "so", ann})});
  all.push_back({"inquiry_response_cancelled_by",
                 Make(InquiryResponse{Outcome::kCancelled, KeyedId(), {}, "user", Responder{"user", {}, {}, {}, {}}})});
  all.push_back({"tool_call_response_denied_by",
                 Make(ToolCallResponse{"call_1", "", true, Denial{"too risky", ann, J(R"({"seen":1})")}})});
}

// Everything that a repair and what it inserts may hold.
Repair FullRepair() {
  Repair repair{.profile = "strict", .head = {17}, .from = {0}, .to = {12}};
  Event compaction = Make(Verbatim{EventKind::kCompaction, "compaction", J(R"({"type":"compaction","event_id":"c"})")});
  compaction.event_id = "c";
  Event inserted = Full(InquiryRequest{KeyedId(), {SourceKind::kTool, "fs", {}}, FullQuestion(), {}});
  inserted.source_text.reset();
  repair.items = {{{RepairAction::kInsert, {0}, {1}, "a"}, inserted, J(R"({"why":[1]})")},
                  {{RepairAction::kInsert, {0}, {1}, "b"}, compaction},
                  {{RepairAction::kDrop, {3}, {3}, "c"}},
                  {{RepairAction::kMove, {7}, {12}, "d"}}};
  repair.retracts = {{{RepairAction::kInsert, {2}, {2}, "e"}, {}, J(R"({"by":"hand"})")},
                     {{RepairAction::kMove, {0}, {4}, "f"}}};
  repair.undoes = {{15}, {13}};
  return repair;
}

void AddRepairs(std::vector<SampleEvent>& all) {
  const RepairItem drop{{RepairAction::kDrop, {3}, {3}, "orphan-tool-result"}};
  all.push_back({"repair", Make(Repair{.profile = "strict", .head = {17}, .from = {3}, .to = {3}, .items = {drop}})});
  all.push_back({"repair_full", Full(FullRepair())});
  all.push_back({"redaction", Make(RedactionRecord{.by = "", .events = 0})});
  const RedactedByRule first{"github-token", 1, {{{9}, {9}}}, {}};
  const RedactedByRule second{"secret-answer", 3, {{{2}, {2}}, {{4}, {5}}}, J(R"({"note":null})")};
  all.push_back({"redaction_full", Full(RedactionRecord{.by = "ops@host", .events = 4, .rules = {first, second}})});
}

void AddVerbatims(std::vector<SampleEvent>& all) {
  Event config =
      Make(Verbatim{EventKind::kConfigDelta, "config_delta",
                    J(R"({"type":"config_delta","timestamp":"2026-03-18T11:54:23.5Z","delta":{ "a" : 1E400 }})")});
  config.timestamp = Timestamp{1'773'834'863'500'000'000};
  all.push_back({"config_delta", config});
  all.push_back({"compaction", Make(Verbatim{EventKind::kCompaction, "compaction",
                                             J(R"({"from_turn":0,"to_turn":3,"type":"compaction"})")})});
  Event unknown = Make(Verbatim{EventKind::kUnknown, "x.y", J(R"({ "type" : "x.y", "event_id":"e1", "n":-0.0 })")});
  unknown.event_id = "e1";
  all.push_back({"unknown", unknown});
  Event foreign = Make(Verbatim{EventKind::kUnknown, "", J(R"([1,"no object"])")});
  foreign.timestamp = Timestamp{-1};
  foreign.event_id = "e2";
  all.push_back({"unknown_without_tag", foreign});
  Event sourced = unknown;
  sourced.source_text = "as it stood";
  all.push_back({"unknown_with_source_text", sourced});
}

}  // namespace

std::vector<SampleEvent> SampleEvents() {
  std::vector<SampleEvent> all;
  all.push_back({"turn_start", Make(TurnStart{})});
  all.push_back({"turn_start_full", Full(TurnStart{})});
  all.push_back({"chat_request", Make(ChatRequest{"", std::nullopt, {}})});
  all.push_back({"chat_request_full", Full(ChatRequest{"Grüße \u2028 \0 \x7f 𝄞"s, "ann", J(R"({"type":"object"})")})});
  all.push_back({"chat_response_message", Full(ChatResponse{ChatPart::kMessage, "line\r\nline"})});
  all.push_back({"chat_response_reasoning", Make(ChatResponse{ChatPart::kReasoning, "hm"})});
  all.push_back({"chat_response_data", Make(ChatResponse{ChatPart::kData, "null"})});
  all.push_back({"tool_call_request", Make(ToolCallRequest{"call_1", "fs_read_file", J("{}")})});
  all.push_back({"tool_call_request_full", Full(ToolCallRequest{"call_1", "", J(R"({"b": -0.0, "a":"\u0000"})")})});
  all.push_back({"tool_call_response", Make(ToolCallResponse{"call_1", "done", false, std::nullopt})});
  all.push_back({"tool_call_response_denied",
                 Full(ToolCallResponse{"call_1", "", true, Denial{"too risky", {}, J(R"({"by":"ann"})")}})});
  all.push_back({"tool_call_response_denied_without_reason",
                 Make(ToolCallResponse{"call_1", "", true, Denial{std::nullopt, {}, {}}})});
  AddInquiries(all);
  AddDecisions(all);
  AddVerbatims(all);
  AddRepairs(all);
  return all;
}

}  // namespace turnlog
