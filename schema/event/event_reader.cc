#include "schema/event/event_reader.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "schema/event/event_fields.h"
#include "schema/event/inquiry_json_parse.h"
#include "schema/event/repair_checks.h"
#include "schema/event/repair_json_parse.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

using Text = std::string_view;
using Object = JsonReader::Object;
using Value = JsonReader::Value;
using Names = std::span<const std::string_view>;

class EventReader {
 public:
  // `inserted`: a part of another event, so that more text follows, and there is no envelope.
  EventReader(JsonReader& json, EventParser::Envelope& envelope, bool inserted = false)
      : json_(json), envelope_(envelope), inserted_(inserted) {}

  Read<EventView> Event(Object& object) {
    const auto type = TURNLOG_TRY(json_.Find(object, "type"));
    if (!type && inserted_) return JsonReader::Fault(object.byte, "type is missing");
    if (!type) return Wrapper(object);
    const auto tag = JsonReader::In("type", json_.String(*type));
    if (!tag) return std::unexpected(tag.error());
    if (inserted_ && !MayBeInserted(KindFromName(*tag))) {
      return JsonReader::Fault(object.byte, "events of this kind are not inserted");
    }
    event_.body = TURNLOG_TRY(Body(object, *tag));
    if (!inserted_) UnescapeLong();
    return std::move(event_);
  }

 private:
  using BodyRead = Read<EventView::Body>;

  // At most one, the content: everything else is read by now.
  void UnescapeLong() {
    const auto text = json_.UnescapeLong();
    if (!text) return;
    const auto replace = [&](auto& body) {
      if constexpr (requires { body.content; }) body.content = *text;
    };
    std::visit(replace, event_.body);
  }

  Read<Text> Content(Value value) { return inserted_ ? json_.String(value) : json_.LongString(value); }

  BodyRead Body(Object& object, Text tag) {
    switch (KindFromName(tag)) {
      case EventKind::kTurnStart:
        return ReadTurnStart(object);
      case EventKind::kChatRequest:
        return ReadChatRequest(object);
      case EventKind::kChatResponse:
        return ReadChatResponse(object);
      case EventKind::kToolCallRequest:
        return ReadToolCallRequest(object);
      case EventKind::kToolCallResponse:
        return ReadToolCallResponse(object);
      case EventKind::kInquiryRequest:
        return ReadInquiryRequest(object);
      case EventKind::kInquiryResponse:
        return ReadInquiryResponse(object);
      case EventKind::kRepair:
        return ReadRepair(object);
      case EventKind::kRedaction:
        return ReadRedaction(object, tag);
      case EventKind::kConfigDelta:
      case EventKind::kCompaction:
      case EventKind::kUnknown:
        break;
    }
    return ReadVerbatim(object, tag);
  }

  // The fields of an event of a kind that we know: those of every event here, the others through `on_field`.
  template <class OnField>
  Read<void> EventFields(Object& object, Names names, std::initializer_list<std::size_t> required, OnField&& on_field) {
    const auto on_any_field = [&](std::size_t index, Value value) -> Read<void> {
      return index < fields::kCommonCount ? Common(index, value) : on_field(index, value);
    };
    const FieldSet seen = TURNLOG_TRY(json_.Fields(object, names, event_.extra, on_any_field));
    if (!inserted_) TURNLOG_TRY(json_.Close());
    return JsonReader::Require(object, names, seen, required);
  }

  Read<void> Common(std::size_t index, Value value) {
    switch (static_cast<fields::Common>(index)) {
      case fields::kType:
        TURNLOG_TRY(json_.Raw(value));
        break;  // read before
      case fields::kTimestamp:
        return ReadTimestamp(value);
      case fields::kMetadata:
        event_.metadata = TURNLOG_TRY(json_.RawObject(value));
        break;
      case fields::kEventId:
        event_.event_id = TURNLOG_TRY(json_.OptionalId(value));
        break;
      case fields::kSourceText:
        event_.source_text = TURNLOG_TRY(json_.OptionalString(value));
        break;
      case fields::kConversation:
        envelope_.conversation = TURNLOG_TRY(json_.String(value));
        break;
      case fields::kSeq:
        envelope_.seq = TURNLOG_TRY(json_.Unsigned(value));
        break;
      case fields::kCommonCount:
        break;
    }
    return {};
  }

  Read<void> ReadTimestamp(Value value) {
    const auto text = TURNLOG_TRY(json_.OptionalString(value));
    if (!text) return {};
    const auto timestamp = Timestamp::ParseRfc3339(*text);
    if (!timestamp) return json_.Fault(value, "not a time as RFC 3339 has it");
    event_.timestamp = *timestamp;
    return {};
  }

  BodyRead ReadTurnStart(Object& object) {
    const auto on_field = [](std::size_t, Value) { return Read<void>(); };
    TURNLOG_TRY(EventFields(object, fields::kTurnStart, {}, on_field));
    return TurnStart{};
  }

  BodyRead ReadChatRequest(Object& object) {
    ChatRequestView body;
    const auto on_field = [&](std::size_t index, Value value) -> Read<void> {
      if (index == fields::kContent) body.content = TURNLOG_TRY(Content(value));
      if (index == fields::kAuthor) body.author = TURNLOG_TRY(json_.OptionalString(value));
      if (index == fields::kChatSchema) body.schema = TURNLOG_TRY(json_.OptionalRawObject(value));
      return {};
    };
    TURNLOG_TRY(EventFields(object, fields::kChatRequest, {fields::kContent}, on_field));
    return body;
  }

  BodyRead ReadChatResponse(Object& object) {
    ChatResponseView body;
    body.part = TURNLOG_TRY(FindChatPart(object));
    const auto& names = fields::kChatResponses[static_cast<std::size_t>(body.part)];
    const auto on_field = [&](std::size_t, Value value) -> Read<void> {
      body.content = body.part == ChatPart::kData ? TURNLOG_TRY(json_.Raw(value)).text() : TURNLOG_TRY(Content(value));
      return {};
    };
    TURNLOG_TRY(EventFields(object, names, {}, on_field));
    return body;
  }

  // The first that fits, in this order, whatever else the event has.
  Read<ChatPart> FindChatPart(Object& object) {
    const auto message = TURNLOG_TRY(json_.Find(object, "message"));
    if (message && JsonReader::IsString(*message)) return ChatPart::kMessage;
    const auto reasoning = TURNLOG_TRY(json_.Find(object, "reasoning"));
    if (reasoning && JsonReader::IsString(*reasoning)) return ChatPart::kReasoning;
    if (TURNLOG_TRY(json_.Find(object, "data"))) return ChatPart::kData;
    if (message) return JsonReader::In("message", json_.Fault(*message, "must be a string").error());
    if (reasoning) return JsonReader::In("reasoning", json_.Fault(*reasoning, "must be a string").error());
    return JsonReader::Fault(object.byte, "message, reasoning or data is missing");
  }

  BodyRead ReadToolCallRequest(Object& object) {
    ToolCallRequestView body{"", "", JsonView::FromTrusted("{}")};
    const auto on_field = [&](std::size_t index, Value value) -> Read<void> {
      if (index == fields::kRequestId) body.id = TURNLOG_TRY(json_.Id(value));
      if (index == fields::kName) body.name = TURNLOG_TRY(json_.String(value));
      if (index == fields::kArguments) body.arguments = TURNLOG_TRY(json_.RawObject(value));
      return {};
    };
    TURNLOG_TRY(EventFields(object, fields::kToolCallRequest, {fields::kRequestId, fields::kName}, on_field));
    return body;
  }

  BodyRead ReadToolCallResponse(Object& object) {
    ToolCallResponseView body;
    const auto on_field = [&](std::size_t index, Value value) -> Read<void> {
      if (index == fields::kResponseId) body.id = TURNLOG_TRY(json_.Id(value));
      if (index == fields::kResponseContent) body.content = TURNLOG_TRY(Content(value));
      if (index == fields::kIsError) body.is_error = TURNLOG_TRY(json_.Bool(value));
      if (index == fields::kDenied) body.denied = TURNLOG_TRY(ReadDenial(value));
      return {};
    };
    TURNLOG_TRY(EventFields(object, fields::kToolCallResponse,
                            {fields::kResponseId, fields::kResponseContent, fields::kIsError}, on_field));
    return body;
  }

  Read<std::optional<DenialView>> ReadDenial(Value value) {
    if (TURNLOG_TRY(json_.TakeNull(value))) return std::nullopt;
    Object object = TURNLOG_TRY(json_.OpenObject(value));
    DenialView denial;
    const auto on_field = [&](std::size_t index, Value field) -> Read<void> {
      if (index == fields::kDenialReason) denial.reason = TURNLOG_TRY(json_.OptionalString(field));
      if (index == fields::kDenialResponder) denial.responder = TURNLOG_TRY(turnlog::ReadResponder(json_, field));
      return {};
    };
    TURNLOG_TRY(json_.Fields(object, fields::kDenial, denial.extra, on_field));
    return denial;
  }

  BodyRead ReadInquiryRequest(Object& object) {
    InquiryRequestView body;
    InquiryIdReader id(json_);
    const auto on_field = [&](std::size_t index, Value value) -> Read<void> {
      if (index == fields::kInquiryId) return id.ReadText(value);
      if (index == fields::kKey) return id.ReadKey(value);
      if (index == fields::kSource) body.source = TURNLOG_TRY(ReadInquirySource(json_, value));
      if (index == fields::kQuestion) body.question = TURNLOG_TRY(ReadQuestion(json_, value));
      if (index == fields::kEscalatedFrom) body.escalated_from = TURNLOG_TRY(json_.OptionalId(value));
      return {};
    };
    TURNLOG_TRY(EventFields(object, fields::kInquiryRequest, {fields::kSource, fields::kQuestion}, on_field));
    body.id = TURNLOG_TRY(id.Join(object));
    return body;
  }

  BodyRead ReadInquiryResponse(Object& object) {
    InquiryResponseView body;
    InquiryIdReader id(json_);
    const std::optional<Outcome> outcome = TURNLOG_TRY(FindOutcome(object));
    body.outcome = outcome.value_or(Outcome::kAnswered);
    const bool answered = body.outcome == Outcome::kAnswered, cancelled = body.outcome == Outcome::kCancelled;
    const Names names = answered    ? Names(fields::kAnswered)
                        : cancelled ? Names(fields::kCancelled)
                                    : Names(fields::kRedacted);
    if (cancelled) body.reason = "unspecified";
    const auto on_field = [&](std::size_t index, Value value) -> Read<void> {
      if (index == fields::kInquiryId) return id.ReadText(value);
      if (index == fields::kKey) return id.ReadKey(value);
      return ReadOutcomeField(index, value, body);
    };
    TURNLOG_TRY(EventFields(object, names, {}, on_field));
    body.id = TURNLOG_TRY(id.Join(object));
    if (answered && body.answer.empty()) {
      return JsonReader::Fault(object.byte, outcome ? "answer is missing" : "outcome and answer are missing");
    }
    return body;
  }

  Read<void> ReadOutcomeField(std::size_t index, Value value, InquiryResponseView& body) {
    const bool answered = body.outcome == Outcome::kAnswered;
    switch (static_cast<fields::InquiryResponseField>(index)) {
      case fields::kOutcome:
        TURNLOG_TRY(json_.Raw(value));
        break;  // read before
      case fields::kAnswer: {
        const JsonView answer = TURNLOG_TRY(json_.Raw(value));
        if (answered) body.answer = answer;  // of another outcome it is dropped: it may be the secret
        break;
      }
      case fields::kReason:
        if (answered) {
          body.reason = TURNLOG_TRY(json_.OptionalString(value));
        } else if (JsonReader::IsString(value)) {
          body.reason = TURNLOG_TRY(json_.String(value));
        } else {
          TURNLOG_TRY(json_.Raw(value));  // stays "unspecified"
        }
        break;
      case fields::kResponder:
        body.responder = TURNLOG_TRY(ReadResponder(json_, value));
        break;
    }
    return {};
  }

  // No readable outcome is the shape of old writers, who knew answers only.
  Read<std::optional<Outcome>> FindOutcome(Object& object) {
    const auto value = TURNLOG_TRY(json_.Find(object, "outcome"));
    if (!value || !JsonReader::IsString(*value)) return std::nullopt;
    return TURNLOG_TRY(json_.FindWord<Outcome>(object, "outcome", fields::kOutcomes, "unknown outcome"));
  }

  BodyRead ReadRepair(Object& object) {
    RepairView repair;
    const auto on_field = [&](std::size_t index, Value value) { return ReadRepairField(json_, index, value, repair); };
    TURNLOG_TRY(
        EventFields(object, fields::kRepair, {fields::kProfile, fields::kHead, fields::kFrom, fields::kTo}, on_field));
    if (const Status valid = Validate({.body = repair}); !valid) {
      return JsonReader::Fault(object.byte, valid.error().message);
    }
    return repair;
  }

  // Older versions looked at none, so whatever they took is kept as it is.
  BodyRead ReadRedaction(Object& object, Text tag) {
    RedactionRecordView redaction;
    const auto on_field = [&](std::size_t index, Value value) {
      return ReadRedactionField(json_, index, value, redaction);
    };
    const auto read = EventFields(object, fields::kRedaction, {fields::kBy, fields::kEvents, fields::kRules}, on_field);
    if (read && Validate({.body = redaction})) return redaction;
    event_ = {};
    envelope_ = {};
    return ReadVerbatim(object, tag);
  }

  BodyRead ReadVerbatim(Object& object, Text tag) {
    const std::span<char> text = json_.text();
    const Text all(text.data(), text.size());
    const auto end = ScanJson(all, object.byte);
    if (!end) return JsonReader::Fault(end.error().byte, end.error().what);
    const std::size_t rest = SkipJsonSpace(all, *end);
    if (!inserted_ && rest != all.size()) return JsonReader::Fault(rest, "more text after the value");
    CopyOut(all, object.byte);
    const std::size_t begin = inserted_ ? object.byte : TakeEnvelope(text, object.byte);
    return VerbatimView{KindFromName(tag), tag, JsonView::FromTrusted(all.substr(begin, *end - begin))};
  }

  // Timestamp and event id as far as they can be read: nothing in these objects needs to be as we have it.
  void CopyOut(Text text, std::size_t begin) {
    bool time_found = false, id_found = false;
    for (JsonFields fields(text, begin); fields.Next().value_or(false);) {
      const bool is_time = !time_found && fields.KeyIs("timestamp"), is_id = !id_found && fields.KeyIs("event_id");
      time_found = time_found || is_time;
      id_found = id_found || is_id;
      if ((!is_time && !is_id) || !fields.value().starts_with('"')) continue;
      const std::string value = UnescapeJson(fields.value());
      if (is_id && !value.empty() && value.size() <= kMaxIdBytes) event_.event_id = json_.Keep(value);
      if (!is_time) continue;
      if (const auto timestamp = Timestamp::ParseRfc3339(value)) event_.timestamp = *timestamp;
    }
  }

  // The envelope exactly as AppendJson puts it before a verbatim object. Anything else belongs to the object. Gives the
  // offset where the object begins.
  std::size_t TakeEnvelope(std::span<char> text, std::size_t begin) {
    constexpr Text kConversation = R"({"conversation":)", kSeq = R"(,"seq":)";
    const Text all(text.data(), text.size());
    if (!all.substr(begin).starts_with(kConversation)) return begin;
    const std::size_t conversation = begin + kConversation.size();
    const auto end = ScanJsonString(all, conversation);
    if (all[conversation] != '"' || !end || !all.substr(*end).starts_with(kSeq)) return begin;
    const char* const digits = all.data() + *end + kSeq.size();
    std::uint64_t seq = 0;
    const auto [stop, error] = std::from_chars(digits, all.data() + all.size(), seq);
    if (error != std::errc() || *stop != ',') return begin;
    envelope_.conversation = json_.Keep(UnescapeJson(all.substr(conversation, *end - conversation)));
    envelope_.seq = seq;
    const auto bracket = static_cast<std::size_t>(stop - all.data());
    text[bracket] = '{';
    return bracket;
  }

  // An object without a `type`: the form in which AppendJson writes verbatim events whose object does not say all.
  Read<EventView> Wrapper(Object& object) {
    if (!TURNLOG_TRY(json_.Find(object, "verbatim"))) return JsonReader::Fault(object.byte, "type is missing");
    VerbatimView body;
    const auto on_field = [&](std::size_t index, Value value) -> Read<void> {
      if (index == fields::kTag) body.tag = TURNLOG_TRY(json_.String(value));
      if (index == fields::kVerbatim) body.json = TURNLOG_TRY(json_.Raw(value));
      return {};
    };
    TURNLOG_TRY(EventFields(object, fields::kWrapper, {}, on_field));
    body.kind = KindFromName(body.tag);
    event_.body = body;
    if (const Status status = Validate(event_); !status) return JsonReader::Fault(object.byte, status.error().message);
    return std::move(event_);
  }

  JsonReader& json_;
  EventParser::Envelope& envelope_;
  const bool inserted_;
  EventView event_;
};

}  // namespace

Read<EventView> ReadEvent(JsonReader& json, Object& object, EventParser::Envelope& envelope) {
  return EventReader(json, envelope).Event(object);
}

Read<EventView> ReadInsertedEvent(JsonReader& json, Value value) {
  Object object = TURNLOG_TRY(json.OpenObject(value));
  EventParser::Envelope none;
  return EventReader(json, none, true).Event(object);
}

}  // namespace turnlog
