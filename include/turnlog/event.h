// The events of a conversation. Plain values; each type is a template over its string type: `Event` owns its strings,
// `EventView` borrows them (from a stored record or a parser) and is cheap to copy. event_json.h has the JSON form,
// docs/on_disk_format.md the stored form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "turnlog/boxed.h"
#include "turnlog/json.h"
#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

// Stored on disk: never renumber.
enum class EventKind : std::uint8_t {
  kTurnStart = 1,
  kChatRequest = 2,
  kChatResponse = 3,
  kToolCallRequest = 4,
  kToolCallResponse = 5,
  kInquiryRequest = 6,
  kInquiryResponse = 7,
  kConfigDelta = 8,
  kCompaction = 9,
  kRepair = 10,
  kRedaction = 11,
  kUnknown = 255,  // any other `type`
};

// The kind's JSON name, e.g. "turn_start"; "unknown" for kUnknown.
std::string_view ToString(EventKind kind);
// kUnknown for any other name.
EventKind KindFromName(std::string_view name);
// Kinds that belong to the conversation and not to a turn: config_delta, compaction, repair, redaction, unknown.
bool IsGlobal(EventKind kind);

struct TurnStart {
  bool operator==(const TurnStart&) const = default;
};

template <class Text>
struct BasicChatRequest {
  Text content;
  std::optional<Text> author;
  BasicJson<Text> schema;
  bool operator==(const BasicChatRequest&) const = default;
};

// Stored on disk: never renumber.
enum class ChatPart : std::uint8_t { kMessage = 0, kReasoning = 1, kData = 2 };

template <class Text>
struct BasicChatResponse {
  ChatPart part = ChatPart::kMessage;
  Text content;  // kMessage, kReasoning: the text; kData: JSON text of any value
  bool operator==(const BasicChatResponse&) const = default;
};

template <class Text>
struct BasicToolCallRequest {
  Text id;
  Text name;
  BasicJson<Text> arguments;  // an object; if empty, written as {}
  bool operator==(const BasicToolCallRequest&) const = default;
};

// Who decided, and through what.
template <class Text>
struct BasicResponder {
  Text kind;                  // user, assistant, static, remembered, policy, or a tag of a later version
  std::optional<Text> model;  // of an assistant
  std::optional<Text> who;    // a person or a token, by name
  std::optional<Text> via;    // terminal, page, hook, api, or a tag of a later version
  BasicJson<Text> extra;
  bool operator==(const BasicResponder&) const = default;
};

template <class Text>
struct BasicDenial {
  std::optional<Text> reason;
  std::optional<BasicResponder<Text>> responder;
  BasicJson<Text> extra;
  bool operator==(const BasicDenial&) const = default;
};

template <class Text>
struct BasicToolCallResponse {
  Text id;
  Text content;
  bool is_error = false;
  std::optional<BasicDenial<Text>> denied;  // the user refused the call
  bool operator==(const BasicToolCallResponse&) const = default;
};

// The parts of an inquiry id as recorded by its writer; never recovered by splitting the text.
template <class Text>
struct BasicInquiryKey {
  Text tool_call;             // any text, dots included
  Text question;              // without '.'
  std::uint32_t attempt = 1;  // from 1, per tool call and question within the turn
  bool operator==(const BasicInquiryKey&) const = default;
};

template <class Text>
struct BasicInquiryId {
  Text text;  // "<tool_call>.<question>.<attempt>", or an older writer's form
  std::optional<BasicInquiryKey<Text>> key;
  bool operator==(const BasicInquiryId&) const = default;
};

// Stored on disk: never renumber.
enum class SourceKind : std::uint8_t { kTool = 0, kAssistant = 1, kUser = 2, kOther = 3 };

template <class Text>
struct BasicInquirySource {
  SourceKind kind = SourceKind::kTool;
  Text name;  // kTool and kOther only
  BasicJson<Text> extra;
  bool operator==(const BasicInquirySource&) const = default;
};

// Stored on disk: never renumber.
enum class AnswerKind : std::uint8_t {
  kBoolean = 0,
  kSelect = 1,
  kMultiSelect = 2,
  kText = 3,
  kSchema = 4,
  kSecret = 5,
};

template <class Text>
struct BasicSelectOption {
  BasicJson<Text> value;
  std::optional<Text> description;
  BasicJson<Text> extra;
  bool operator==(const BasicSelectOption&) const = default;
};

template <class Text>
struct BasicAnswerType {
  AnswerKind kind = AnswerKind::kBoolean;
  std::vector<BasicSelectOption<Text>> options;  // kSelect and kMultiSelect
  bool other = false;                            // kSelect and kMultiSelect: any string is an answer as well
  BasicJson<Text> schema;                        // kSchema
  BasicJson<Text> extra;
  bool operator==(const BasicAnswerType&) const = default;
};

template <class Text>
struct BasicQuestion {
  Text text;
  BasicAnswerType<Text> answer_type;
  BasicJson<Text> default_value;
  std::optional<Text> context;
  std::optional<bool> exclusive;
  std::optional<Text> persistence;
  BasicJson<Text> extra;
  bool operator==(const BasicQuestion&) const = default;
};

template <class Text>
struct BasicInquiryRequest {
  BasicInquiryId<Text> id;
  BasicInquirySource<Text> source;
  BasicQuestion<Text> question;
  std::optional<Text> escalated_from;  // id of the attempt that this one continues
  bool operator==(const BasicInquiryRequest&) const = default;
};

// Stored on disk: never renumber.
enum class Outcome : std::uint8_t { kAnswered = 0, kCancelled = 1, kRedacted = 2 };

template <class Text>
struct BasicInquiryResponse {
  Outcome outcome = Outcome::kAnswered;
  BasicInquiryId<Text> id;
  BasicJson<Text> answer;                         // kAnswered: always a value (JSON null counts); otherwise empty
  std::optional<Text> reason;                     // kCancelled: always, an open tag such as "user"; kAnswered: optional
  std::optional<BasicResponder<Text>> responder;  // who answered, cancelled, or gave a secret
  bool operator==(const BasicInquiryResponse&) const = default;
};

// config_delta, compaction and every kind this version does not know: the object unchanged. Also `repair` and
// `redaction` events of older writers, which stored them in this form; ReadRepair and others accept both forms.
template <class Text>
struct BasicVerbatim {
  EventKind kind = EventKind::kUnknown;
  Text tag;              // its `type`
  BasicJson<Text> json;  // the whole object, byte for byte
  bool operator==(const BasicVerbatim&) const = default;
};

template <class Text>
struct BasicEvent;

// Stored on disk: never renumber.
enum class RepairAction : std::uint8_t {
  kDrop = 0,    // the event at `anchor` is dropped
  kInsert = 1,  // `event`, which is not in the log, is shown after `anchor`
  kMove = 2,    // the event at `cause` is shown after `anchor` instead of at its own seq
};

// One change, identified by action, anchor, cause and rule: no two active changes of a conversation are equal.
template <class Text>
struct BasicRepairTarget {
  RepairAction action{};
  Seq anchor;  // a seq; kInsert, kMove: 0 is before the first event
  Seq cause;   // the event that broke the rule; kDrop: always `anchor`
  Text rule;   // e.g. "orphan-tool-result"
  auto operator<=>(const BasicRepairTarget&) const = default;
};

template <class Text>
struct BasicRepairItem {
  BasicRepairTarget<Text> target;
  Boxed<BasicEvent<Text>> event;  // kInsert: always, except in `retracts`; otherwise never
  BasicJson<Text> extra;
  bool operator==(const BasicRepairItem&) const = default;
};

// What the sanitized view of the conversation drops, inserts and moves; see repair.h. Several items at one place keep
// their order; those of an earlier `repair` event come before those of a later one.
template <class Text>
struct BasicRepair {
  Text profile;  // the set of rules, e.g. "strict"; "undo" for undoing repairs
  Seq head;      // the conversation's last event when this was planned
  Seq from, to;  // the range of all anchors and causes in it
  std::vector<BasicRepairItem<Text>> items;
  std::vector<BasicRepairItem<Text>> retracts;  // items of earlier repairs that become inactive; without `event`
  std::vector<Seq> undoes;  // whole `repair` events that become inactive; an undo can be undone, too
  bool operator==(const BasicRepair&) const = default;
};

struct SeqRange {
  Seq first, last;  // both included
  bool operator==(const SeqRange&) const = default;
};

template <class Text>
struct BasicRedactedByRule {
  Text rule;                   // e.g. "secret-answer"
  std::uint64_t events{};      // how many it concerns
  std::vector<SeqRange> seqs;  // which
  BasicJson<Text> extra;
  bool operator==(const BasicRedactedByRule&) const = default;
};

// Which events of the conversation were redacted and why, without their contents.
template <class Text>
struct BasicRedactionRecord {
  Text by;                                       // the person or program that redacted
  std::uint64_t events{};                        // how many events were redacted
  std::vector<BasicRedactedByRule<Text>> rules;  // an event may appear under several
  bool operator==(const BasicRedactionRecord&) const = default;
};

template <class Text>
struct BasicEvent {
  // In the order of the stored union: new ones go to the end.
  using Body = std::variant<TurnStart, BasicChatRequest<Text>, BasicChatResponse<Text>, BasicToolCallRequest<Text>,
                            BasicToolCallResponse<Text>, BasicInquiryRequest<Text>, BasicInquiryResponse<Text>,
                            BasicVerbatim<Text>, BasicRepair<Text>, BasicRedactionRecord<Text>>;

  Body body;
  std::optional<Timestamp> timestamp;  // Verbatim: a copy of the object's field, for lookups
  std::optional<Text> event_id;        // chosen by the client; Verbatim: a copy, as above
  BasicJson<Text> metadata;            // an object
  BasicJson<Text> extra;               // fields that this version does not know, as one object
  std::optional<Text> source_text;     // importers: the source's bytes, if they cannot be derived from the event

  EventKind kind() const;
  bool operator==(const BasicEvent&) const = default;
};

using ChatRequest = BasicChatRequest<std::string>;
using ChatResponse = BasicChatResponse<std::string>;
using ToolCallRequest = BasicToolCallRequest<std::string>;
using Responder = BasicResponder<std::string>;
using Denial = BasicDenial<std::string>;
using ToolCallResponse = BasicToolCallResponse<std::string>;
using InquiryKey = BasicInquiryKey<std::string>;
using InquiryId = BasicInquiryId<std::string>;
using InquirySource = BasicInquirySource<std::string>;
using SelectOption = BasicSelectOption<std::string>;
using AnswerType = BasicAnswerType<std::string>;
using Question = BasicQuestion<std::string>;
using InquiryRequest = BasicInquiryRequest<std::string>;
using InquiryResponse = BasicInquiryResponse<std::string>;
using Verbatim = BasicVerbatim<std::string>;
using RepairTarget = BasicRepairTarget<std::string>;
using RepairItem = BasicRepairItem<std::string>;
using Repair = BasicRepair<std::string>;
using RedactedByRule = BasicRedactedByRule<std::string>;
using RedactionRecord = BasicRedactionRecord<std::string>;
using Event = BasicEvent<std::string>;

using ChatRequestView = BasicChatRequest<std::string_view>;
using ChatResponseView = BasicChatResponse<std::string_view>;
using ToolCallRequestView = BasicToolCallRequest<std::string_view>;
using ResponderView = BasicResponder<std::string_view>;
using DenialView = BasicDenial<std::string_view>;
using ToolCallResponseView = BasicToolCallResponse<std::string_view>;
using InquiryKeyView = BasicInquiryKey<std::string_view>;
using InquiryIdView = BasicInquiryId<std::string_view>;
using InquirySourceView = BasicInquirySource<std::string_view>;
using SelectOptionView = BasicSelectOption<std::string_view>;
using AnswerTypeView = BasicAnswerType<std::string_view>;
using QuestionView = BasicQuestion<std::string_view>;
using InquiryRequestView = BasicInquiryRequest<std::string_view>;
using InquiryResponseView = BasicInquiryResponse<std::string_view>;
using VerbatimView = BasicVerbatim<std::string_view>;
using RepairTargetView = BasicRepairTarget<std::string_view>;
using RepairItemView = BasicRepairItem<std::string_view>;
using RepairView = BasicRepair<std::string_view>;
using RedactedByRuleView = BasicRedactedByRule<std::string_view>;
using RedactionRecordView = BasicRedactionRecord<std::string_view>;
using EventView = BasicEvent<std::string_view>;

// Borrows from `event`, which must outlive the view.
EventView View(const Event& event);
EventView View(const Event&& event) = delete;
// Copies everything that the view borrows.
Event Own(const EventView& view);

// Joins the parts. Fails if the question is empty or holds a '.', the tool call is empty, the attempt is 0, or the
// whole is longer than kMaxIdBytes.
Result<InquiryId> MakeInquiryId(std::string_view tool_call, std::string_view question, std::uint32_t attempt);

// What every append checks: that the fields fit the kind, that text is UTF-8, that ids are neither empty nor too long,
// that JSON text is valid. The message names the field. Cost: linear in the event's size.
Status Validate(const EventView& event);
inline Status Validate(const Event& event) { return Validate(View(event)); }

template <class Text>
EventKind BasicEvent<Text>::kind() const {
  if (const auto* verbatim = std::get_if<BasicVerbatim<Text>>(&body)) return verbatim->kind;
  if (std::holds_alternative<BasicRepair<Text>>(body)) return EventKind::kRepair;
  if (std::holds_alternative<BasicRedactionRecord<Text>>(body)) return EventKind::kRedaction;
  return static_cast<EventKind>(body.index() + 1);  // the others are in the order of the kinds
}

}  // namespace turnlog
