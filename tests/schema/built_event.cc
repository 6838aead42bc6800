#include "tests/schema/built_event.h"

#include <optional>
#include <string_view>
#include <vector>

#include "event_generated.h"
#include "schema/event/codec.h"

namespace turnlog {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using FbString = Offset<flatbuffers::String>;
template <class T>
using FbVector = Offset<flatbuffers::Vector<T>>;

// Children are written before the tables that hold them: FlatBuffers grow from the back.
class Writer {
 public:
  explicit Writer(FlatBufferBuilder& builder) : builder_(builder) {}

  FbString Text(std::string_view text) { return builder_.CreateString(text.data(), text.size()); }
  FbString Text(const std::optional<std::string_view>& text) { return text ? Text(*text) : FbString(); }
  FbString Text(const JsonView& json) { return json.empty() ? FbString() : Text(json.text()); }

  Offset<fbs::InquiryId> Id(const InquiryIdView& id) {
    const FbString text = Text(id.text);
    if (!id.key) return fbs::CreateInquiryId(builder_, text);
    return fbs::CreateInquiryId(builder_, text, static_cast<std::uint32_t>(id.key->tool_call.size()),
                                static_cast<std::uint32_t>(id.key->question.size()), id.key->attempt);
  }

  Offset<void> Body(const TurnStart&) { return fbs::CreateTurnStart(builder_).Union(); }

  Offset<void> Body(const ChatRequestView& body) {
    const FbString content = Text(body.content), author = Text(body.author), schema = Text(body.schema);
    return fbs::CreateChatRequest(builder_, content, author, schema).Union();
  }

  Offset<void> Body(const ChatResponseView& body) {
    const FbString content = Text(body.content);
    return fbs::CreateChatResponse(builder_, static_cast<fbs::ChatPart>(body.part), content).Union();
  }

  Offset<void> Body(const ToolCallRequestView& body) {
    const FbString id = Text(body.id), name = Text(body.name), arguments = Text(body.arguments);
    return fbs::CreateToolCallRequest(builder_, id, name, arguments).Union();
  }

  Offset<void> Body(const ToolCallResponseView& body) {
    const FbString id = Text(body.id), content = Text(body.content);
    Offset<fbs::Denial> denied;
    if (body.denied) {
      const FbString reason = Text(body.denied->reason), extra = Text(body.denied->extra);
      denied = fbs::CreateDenial(builder_, reason, extra, Responder(body.denied->responder));
    }
    return fbs::CreateToolCallResponse(builder_, id, content, body.is_error, denied).Union();
  }

  Offset<void> Body(const InquiryRequestView& body) {
    const Offset<fbs::InquiryId> id = Id(body.id);
    const Offset<fbs::InquirySource> source = Source(body.source);
    const Offset<fbs::Question> question = Question(body.question);
    const FbString escalated_from = Text(body.escalated_from);
    return fbs::CreateInquiryRequest(builder_, id, source, question, escalated_from).Union();
  }

  Offset<void> Body(const InquiryResponseView& body) {
    const Offset<fbs::InquiryId> id = Id(body.id);
    const FbString answer = Text(body.answer), reason = Text(body.reason);
    const Offset<fbs::Responder> responder = Responder(body.responder);
    return fbs::CreateInquiryResponse(builder_, static_cast<fbs::Outcome>(body.outcome), id, answer, reason, responder)
        .Union();
  }

  Offset<void> Body(const VerbatimView& body) {
    const FbString tag = Text(body.tag), json = Text(body.json);
    return fbs::CreateVerbatim(builder_, static_cast<fbs::VerbatimKind>(body.kind), tag, json).Union();
  }

  Offset<void> Body(const RepairView& body) {
    const FbString profile = Text(body.profile);
    const auto items = Items(body.items), retracts = Items(body.retracts);
    std::vector<std::uint64_t> seqs;
    for (const Seq seq : body.undoes) seqs.push_back(seq.value);
    const auto undoes = seqs.empty() ? FbVector<std::uint64_t>() : builder_.CreateVector(seqs);
    return fbs::CreateRepair(builder_, profile, body.head.value, body.from.value, body.to.value, items, retracts,
                             undoes)
        .Union();
  }

  Offset<void> Body(const RedactionRecordView& body) {
    std::vector<Offset<fbs::RedactedByRule>> rules;
    rules.reserve(body.rules.size());
    for (const auto& rule : body.rules) rules.push_back(Rule(rule));
    const auto list = rules.empty() ? FbVector<Offset<fbs::RedactedByRule>>() : builder_.CreateVector(rules);
    return fbs::CreateRedaction(builder_, Text(body.by), body.events, list).Union();
  }

  Offset<fbs::Event> Event(const EventView& event) {
    const Offset<void> body = std::visit([&](const auto& alternative) { return Body(alternative); }, event.body);
    const FbString event_id = Text(event.event_id), metadata = Text(event.metadata);
    const FbString extra = Text(event.extra), source_text = Text(event.source_text);
    const auto timestamp =
        event.timestamp ? flatbuffers::Optional<std::int64_t>(event.timestamp->nanos) : flatbuffers::nullopt;
    return fbs::CreateEvent(builder_, BodyType(event), body, timestamp, event_id, metadata, extra, source_text);
  }

 private:
  // The alternatives of both stand in the same order; 0 is "none".
  static fbs::Body BodyType(const EventView& event) { return static_cast<fbs::Body>(event.body.index() + 1); }

  FbVector<Offset<fbs::RepairItem>> Items(const std::vector<RepairItemView>& items) {
    std::vector<Offset<fbs::RepairItem>> list;
    list.reserve(items.size());
    for (const auto& [target, inserted, unknown] : items) {
      const Offset<fbs::Event> event = inserted ? Event(*inserted) : Offset<fbs::Event>();
      const FbString rule = Text(target.rule), extra = Text(unknown);
      list.push_back(fbs::CreateRepairItem(builder_, static_cast<fbs::RepairAction>(target.action), target.anchor.value,
                                           target.cause.value, rule, event, extra));
    }
    return list.empty() ? FbVector<Offset<fbs::RepairItem>>() : builder_.CreateVector(list);
  }

  Offset<fbs::RedactedByRule> Rule(const RedactedByRuleView& by_rule) {
    std::vector<fbs::SeqRange> ranges;
    for (const SeqRange& range : by_rule.seqs) ranges.emplace_back(range.first.value, range.last.value);
    const auto seqs = ranges.empty() ? FbVector<const fbs::SeqRange*>() : builder_.CreateVectorOfStructs(ranges);
    const FbString rule = Text(by_rule.rule), extra = Text(by_rule.extra);
    return fbs::CreateRedactedByRule(builder_, rule, by_rule.events, seqs, extra);
  }

  Offset<fbs::Responder> Responder(const std::optional<ResponderView>& responder) {
    if (!responder) return {};
    const FbString kind = Text(responder->kind), model = Text(responder->model), extra = Text(responder->extra);
    const FbString who = Text(responder->who), via = Text(responder->via);
    return fbs::CreateResponder(builder_, kind, model, extra, who, via);
  }

  // Not every source has a name; an empty one is left out.
  Offset<fbs::InquirySource> Source(const InquirySourceView& source) {
    const FbString name = source.name.empty() ? FbString() : Text(source.name);
    return fbs::CreateInquirySource(builder_, static_cast<fbs::SourceKind>(source.kind), name, Text(source.extra));
  }

  Offset<fbs::Question> Question(const QuestionView& question) {
    const FbString text = Text(question.text);
    const Offset<fbs::AnswerType> answer_type = AnswerType(question.answer_type);
    const FbString default_value = Text(question.default_value), context = Text(question.context);
    const FbString persistence = Text(question.persistence), extra = Text(question.extra);
    return fbs::CreateQuestion(builder_, text, answer_type, default_value, context, question.exclusive, persistence,
                               extra);
  }

  Offset<fbs::AnswerType> AnswerType(const AnswerTypeView& type) {
    std::vector<Offset<fbs::SelectOption>> options;
    options.reserve(type.options.size());
    for (const auto& option : type.options) {
      const FbString value = Text(option.value), description = Text(option.description);
      options.push_back(fbs::CreateSelectOption(builder_, value, description, Text(option.extra)));
    }
    const auto list = options.empty() ? FbVector<Offset<fbs::SelectOption>>() : builder_.CreateVector(options);
    const FbString schema = Text(type.schema), extra = Text(type.extra);
    return fbs::CreateAnswerType(builder_, static_cast<fbs::AnswerKind>(type.kind), list, schema, extra, type.other);
  }

  FlatBufferBuilder& builder_;
};

}  // namespace

std::string BuildEvent(const EventView& event) {
  FlatBufferBuilder builder;
  builder.Align(kPayloadAlignment);
  fbs::FinishEventBuffer(builder, Writer(builder).Event(event));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

}  // namespace turnlog
