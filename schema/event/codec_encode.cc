#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/wiped_memory.h"
#include "event_generated.h"
#include "schema/event/codec.h"
#include "schema/event/encoded_size.h"
#include "schema/event/flat_writer.h"

namespace turnlog {
namespace {

constexpr std::size_t kLeastBytes = 4096;
// Memory that was needed beyond this is released, by the next Encode and by Wipe.
constexpr std::size_t kKeptBytes = std::size_t{16} << 20;
constexpr std::size_t kKeptWipedBytes = std::size_t{256} << 10;

// What a table refers to is written before the table. The order in which fields are added is the one of the generated
// code.
class Writer {
 public:
  explicit Writer(std::span<char> room) : out_(room) {}

  std::string_view Write(const EventView& event) {
    const FlatPlace root = Event(event);
    out_.Finish(root, fbs::EventIdentifier(), kPayloadAlignment);
    return out_.written();
  }

 private:
  FlatPlace Text(std::string_view text) { return out_.Text(text); }
  FlatPlace Text(const std::optional<std::string_view>& text) { return text ? Text(*text) : 0; }
  FlatPlace Text(const JsonView& json) { return json.empty() ? 0 : Text(json.text()); }

  FlatPlace Id(const InquiryIdView& id) {
    const FlatPlace text = Text(id.text);
    FlatTable<4> table(out_);
    if (id.key) {
      table.Add(fbs::InquiryId::VT_ATTEMPT, id.key->attempt, 0U);
      table.Add(fbs::InquiryId::VT_QUESTION_LENGTH, static_cast<std::uint32_t>(id.key->question.size()), 0U);
      table.Add(fbs::InquiryId::VT_TOOL_CALL_LENGTH, static_cast<std::uint32_t>(id.key->tool_call.size()), 0U);
    }
    table.Refer(fbs::InquiryId::VT_TEXT, text);
    return table.Finish();
  }

  FlatPlace Body(const TurnStart&) { return FlatTable<0>(out_).Finish(); }

  FlatPlace Body(const ChatRequestView& body) {
    const FlatPlace content = Text(body.content), author = Text(body.author), schema = Text(body.schema);
    FlatTable<3> table(out_);
    table.Refer(fbs::ChatRequest::VT_SCHEMA, schema);
    table.Refer(fbs::ChatRequest::VT_AUTHOR, author);
    table.Refer(fbs::ChatRequest::VT_CONTENT, content);
    return table.Finish();
  }

  FlatPlace Body(const ChatResponseView& body) {
    const FlatPlace content = Text(body.content);
    FlatTable<2> table(out_);
    table.Refer(fbs::ChatResponse::VT_CONTENT, content);
    table.Add(fbs::ChatResponse::VT_PART, static_cast<std::uint8_t>(body.part), kFirst);
    return table.Finish();
  }

  FlatPlace Body(const ToolCallRequestView& body) {
    const FlatPlace id = Text(body.id), name = Text(body.name), arguments = Text(body.arguments);
    FlatTable<3> table(out_);
    table.Refer(fbs::ToolCallRequest::VT_ARGUMENTS, arguments);
    table.Refer(fbs::ToolCallRequest::VT_NAME, name);
    table.Refer(fbs::ToolCallRequest::VT_ID, id);
    return table.Finish();
  }

  FlatPlace Body(const ToolCallResponseView& body) {
    const FlatPlace id = Text(body.id), content = Text(body.content);
    const FlatPlace denied = body.denied ? Denial(*body.denied) : 0;
    FlatTable<4> table(out_);
    table.Refer(fbs::ToolCallResponse::VT_DENIED, denied);
    table.Refer(fbs::ToolCallResponse::VT_CONTENT, content);
    table.Refer(fbs::ToolCallResponse::VT_ID, id);
    table.Add(fbs::ToolCallResponse::VT_IS_ERROR, static_cast<std::uint8_t>(body.is_error), kFirst);
    return table.Finish();
  }

  FlatPlace Body(const InquiryRequestView& body) {
    const FlatPlace id = Id(body.id), source = Source(body.source), question = Question(body.question);
    const FlatPlace escalated_from = Text(body.escalated_from);
    FlatTable<4> table(out_);
    table.Refer(fbs::InquiryRequest::VT_ESCALATED_FROM, escalated_from);
    table.Refer(fbs::InquiryRequest::VT_QUESTION, question);
    table.Refer(fbs::InquiryRequest::VT_SOURCE, source);
    table.Refer(fbs::InquiryRequest::VT_ID, id);
    return table.Finish();
  }

  FlatPlace Body(const InquiryResponseView& body) {
    const FlatPlace id = Id(body.id), answer = Text(body.answer), reason = Text(body.reason);
    const FlatPlace responder = Responder(body.responder);
    FlatTable<5> table(out_);
    table.Refer(fbs::InquiryResponse::VT_RESPONDER, responder);
    table.Refer(fbs::InquiryResponse::VT_REASON, reason);
    table.Refer(fbs::InquiryResponse::VT_ANSWER, answer);
    table.Refer(fbs::InquiryResponse::VT_ID, id);
    table.Add(fbs::InquiryResponse::VT_OUTCOME, static_cast<std::uint8_t>(body.outcome), kFirst);
    return table.Finish();
  }

  FlatPlace Body(const VerbatimView& body) {
    const FlatPlace tag = Text(body.tag), json = Text(body.json);
    FlatTable<3> table(out_);
    table.Refer(fbs::Verbatim::VT_JSON, json);
    table.Refer(fbs::Verbatim::VT_TAG, tag);
    table.Add(fbs::Verbatim::VT_KIND, static_cast<std::uint8_t>(body.kind),
              static_cast<std::uint8_t>(fbs::VerbatimKind::Unknown));
    return table.Finish();
  }

  FlatPlace Body(const RepairView& body) {
    const FlatPlace profile = Text(body.profile), items = Items(body.items), retracts = Items(body.retracts);
    std::vector<std::uint64_t> seqs;
    for (const Seq seq : body.undoes) seqs.push_back(seq.value);
    const FlatPlace undoes = seqs.empty() ? 0 : out_.Numbers(seqs, seqs.size());
    FlatTable<7> table(out_);
    table.Add(fbs::Repair::VT_TO, body.to.value, kNone);
    table.Add(fbs::Repair::VT_FROM, body.from.value, kNone);
    table.Add(fbs::Repair::VT_HEAD, body.head.value, kNone);
    table.Refer(fbs::Repair::VT_UNDOES, undoes);
    table.Refer(fbs::Repair::VT_RETRACTS, retracts);
    table.Refer(fbs::Repair::VT_ITEMS, items);
    table.Refer(fbs::Repair::VT_PROFILE, profile);
    return table.Finish();
  }

  FlatPlace Body(const RedactionRecordView& body) {
    std::vector<FlatPlace> rules;
    rules.reserve(body.rules.size());
    for (const auto& rule : body.rules) rules.push_back(Rule(rule));
    const FlatPlace list = PlacesOf(rules);
    const FlatPlace by = Text(body.by);
    FlatTable<3> table(out_);
    table.Add(fbs::Redaction::VT_EVENTS, body.events, kNone);
    table.Refer(fbs::Redaction::VT_RULES, list);
    table.Refer(fbs::Redaction::VT_BY, by);
    return table.Finish();
  }

  FlatPlace Event(const EventView& event) {
    const FlatPlace body = std::visit([&](const auto& alternative) { return Body(alternative); }, event.body);
    const FlatPlace event_id = Text(event.event_id), metadata = Text(event.metadata);
    const FlatPlace extra = Text(event.extra), source_text = Text(event.source_text);
    FlatTable<7> table(out_);
    if (event.timestamp) table.Add(fbs::Event::VT_TIMESTAMP, static_cast<std::uint64_t>(event.timestamp->nanos));
    table.Refer(fbs::Event::VT_SOURCE_TEXT, source_text);
    table.Refer(fbs::Event::VT_EXTRA, extra);
    table.Refer(fbs::Event::VT_METADATA, metadata);
    table.Refer(fbs::Event::VT_EVENT_ID, event_id);
    table.Refer(fbs::Event::VT_BODY, body);
    table.Add(fbs::Event::VT_BODY_TYPE, BodyType(event));
    return table.Finish();
  }

  // The alternatives of both stand in the same order; 0 is "none".
  static std::uint8_t BodyType(const EventView& event) { return static_cast<std::uint8_t>(event.body.index() + 1); }

  // Lists are left out if they are empty.
  FlatPlace PlacesOf(const std::vector<FlatPlace>& list) { return list.empty() ? 0 : out_.PlacesOf(list); }

  FlatPlace Items(const std::vector<RepairItemView>& items) {
    std::vector<FlatPlace> list;
    list.reserve(items.size());
    for (const auto& item : items) list.push_back(Item(item));
    return PlacesOf(list);
  }

  FlatPlace Item(const RepairItemView& item) {
    const FlatPlace event = item.event ? Event(*item.event) : 0;
    const FlatPlace rule = Text(item.target.rule), extra = Text(item.extra);
    FlatTable<6> table(out_);
    table.Add(fbs::RepairItem::VT_CAUSE, item.target.cause.value, kNone);
    table.Add(fbs::RepairItem::VT_PLACE, item.target.anchor.value, kNone);
    table.Refer(fbs::RepairItem::VT_EXTRA, extra);
    table.Refer(fbs::RepairItem::VT_EVENT, event);
    table.Refer(fbs::RepairItem::VT_RULE, rule);
    table.Add(fbs::RepairItem::VT_ACTION, static_cast<std::uint8_t>(item.target.action), kFirst);
    return table.Finish();
  }

  FlatPlace Rule(const RedactedByRuleView& by_rule) {
    std::vector<std::uint64_t> ends;
    for (const SeqRange& range : by_rule.seqs) ends.insert(ends.end(), {range.first.value, range.last.value});
    const FlatPlace seqs = ends.empty() ? 0 : out_.Numbers(ends, by_rule.seqs.size());
    const FlatPlace rule = Text(by_rule.rule), extra = Text(by_rule.extra);
    FlatTable<4> table(out_);
    table.Add(fbs::RedactedByRule::VT_EVENTS, by_rule.events, kNone);
    table.Refer(fbs::RedactedByRule::VT_EXTRA, extra);
    table.Refer(fbs::RedactedByRule::VT_SEQS, seqs);
    table.Refer(fbs::RedactedByRule::VT_RULE, rule);
    return table.Finish();
  }

  FlatPlace Denial(const DenialView& denied) {
    const FlatPlace reason = Text(denied.reason), extra = Text(denied.extra);
    const FlatPlace responder = Responder(denied.responder);
    FlatTable<3> table(out_);
    table.Refer(fbs::Denial::VT_RESPONDER, responder);
    table.Refer(fbs::Denial::VT_EXTRA, extra);
    table.Refer(fbs::Denial::VT_REASON, reason);
    return table.Finish();
  }

  FlatPlace Responder(const std::optional<ResponderView>& responder) {
    if (!responder) return 0;
    const FlatPlace kind = Text(responder->kind), model = Text(responder->model), extra = Text(responder->extra);
    const FlatPlace who = Text(responder->who), via = Text(responder->via);
    FlatTable<5> table(out_);
    table.Refer(fbs::Responder::VT_VIA, via);
    table.Refer(fbs::Responder::VT_WHO, who);
    table.Refer(fbs::Responder::VT_EXTRA, extra);
    table.Refer(fbs::Responder::VT_MODEL, model);
    table.Refer(fbs::Responder::VT_KIND, kind);
    return table.Finish();
  }

  // Not every source has a name; an empty one is left out.
  FlatPlace Source(const InquirySourceView& source) {
    const FlatPlace name = source.name.empty() ? 0 : Text(source.name);
    const FlatPlace extra = Text(source.extra);
    FlatTable<3> table(out_);
    table.Refer(fbs::InquirySource::VT_EXTRA, extra);
    table.Refer(fbs::InquirySource::VT_NAME, name);
    table.Add(fbs::InquirySource::VT_KIND, static_cast<std::uint8_t>(source.kind), kFirst);
    return table.Finish();
  }

  FlatPlace Question(const QuestionView& question) {
    const FlatPlace text = Text(question.text), answer_type = AnswerType(question.answer_type);
    const FlatPlace default_value = Text(question.default_value), context = Text(question.context);
    const FlatPlace persistence = Text(question.persistence), extra = Text(question.extra);
    FlatTable<7> table(out_);
    table.Refer(fbs::Question::VT_EXTRA, extra);
    table.Refer(fbs::Question::VT_PERSISTENCE, persistence);
    table.Refer(fbs::Question::VT_CONTEXT, context);
    table.Refer(fbs::Question::VT_DEFAULT_VALUE, default_value);
    table.Refer(fbs::Question::VT_ANSWER_TYPE, answer_type);
    table.Refer(fbs::Question::VT_TEXT, text);
    if (question.exclusive) table.Add(fbs::Question::VT_EXCLUSIVE, static_cast<std::uint8_t>(*question.exclusive));
    return table.Finish();
  }

  FlatPlace AnswerType(const AnswerTypeView& type) {
    std::vector<FlatPlace> options;
    options.reserve(type.options.size());
    for (const auto& option : type.options) options.push_back(Option(option));
    const FlatPlace list = PlacesOf(options);
    const FlatPlace schema = Text(type.schema), extra = Text(type.extra);
    FlatTable<5> table(out_);
    table.Refer(fbs::AnswerType::VT_EXTRA, extra);
    table.Refer(fbs::AnswerType::VT_SCHEMA, schema);
    table.Refer(fbs::AnswerType::VT_OPTIONS, list);
    table.Add(fbs::AnswerType::VT_OTHER, static_cast<std::uint8_t>(type.other), kFirst);
    table.Add(fbs::AnswerType::VT_KIND, static_cast<std::uint8_t>(type.kind), kFirst);
    return table.Finish();
  }

  FlatPlace Option(const SelectOptionView& option) {
    const FlatPlace value = Text(option.value), description = Text(option.description), extra = Text(option.extra);
    FlatTable<3> table(out_);
    table.Refer(fbs::SelectOption::VT_EXTRA, extra);
    table.Refer(fbs::SelectOption::VT_DESCRIPTION, description);
    table.Refer(fbs::SelectOption::VT_VALUE, value);
    return table.Finish();
  }

  // What fields say that are left out.
  static constexpr std::uint8_t kFirst = 0;  // of an enumeration, or "false"
  static constexpr std::uint64_t kNone = 0;

  FlatWriter out_;
};

}  // namespace

std::size_t EncodingRoom(const EventView& event) {
  return (EncodedSizeBound(event) + kPayloadAlignment - 1) / kPayloadAlignment * kPayloadAlignment;
}

std::string_view EncodeEvent(const EventView& event, std::span<char> room) { return Writer(room).Write(event); }

struct EventEncoder::Impl {
  void MakeRoom(std::size_t size) {
    if (size <= memory.size() && memory.size() <= kKeptBytes) return;
    memory = WipedMemory();  // first: both are not needed
    memory = WipedMemory(std::max(size, kLeastBytes));
  }

  WipedMemory memory;
};

EventEncoder::EventEncoder() : impl_(std::make_unique<Impl>()) {}
EventEncoder::~EventEncoder() = default;

std::string_view EventEncoder::Encode(const EventView& event) {
  WipedMemory& memory = impl_->memory;
  impl_->MakeRoom(EncodingRoom(event));
  const std::size_t before = memory.filled().size();
  memory.BeginFilling();
  const std::string_view payload = EncodeEvent(event, memory.all());
  memory.EndFilling(memory.all().last(std::max(before, payload.size())));
  return payload;
}

void EventEncoder::Wipe() {
  WipedMemory& memory = impl_->memory;
  memory.Wipe();
  if (memory.size() > kKeptWipedBytes) memory = WipedMemory();
}

}  // namespace turnlog
