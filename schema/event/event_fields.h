// The names of the fields of the JSON form. Whatever has another name is unknown, and kept as "extra".
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "turnlog/event.h"
#include "turnlog/types.h"

namespace turnlog::fields {

using Name = std::string_view;

// On every event. The enumerators are indexes into the arrays below.
enum Common { kType, kTimestamp, kMetadata, kEventId, kSourceText, kConversation, kSeq, kCommonCount };

template <class... Names>
constexpr auto OnEvent(Names... names) {
  return std::array<Name, kCommonCount + sizeof...(names)>{"type",        "timestamp",    "metadata", "event_id",
                                                           "source_text", "conversation", "seq",      names...};
}

enum ChatRequestField { kContent = kCommonCount, kAuthor, kChatSchema };
enum ChatResponseField { kPart = kCommonCount };
enum ToolCallRequestField { kRequestId = kCommonCount, kName, kArguments };
enum ToolCallResponseField { kResponseId = kCommonCount, kResponseContent, kIsError, kDenied };
enum InquiryField { kInquiryId = kCommonCount, kKey };
enum InquiryRequestField { kSource = kKey + 1, kQuestion, kEscalatedFrom };
enum InquiryResponseField { kOutcome = kKey + 1, kAnswer, kResponder, kReason };

inline constexpr auto kTurnStart = OnEvent();
inline constexpr auto kChatRequest = OnEvent(Name("content"), Name("author"), Name("schema"));
inline constexpr std::array<Name, 3> kChatParts{"message", "reasoning", "data"};  // by ChatPart
inline constexpr std::array kChatResponses{OnEvent(kChatParts[0]), OnEvent(kChatParts[1]), OnEvent(kChatParts[2])};
inline constexpr auto kToolCallRequest = OnEvent(Name("id"), Name("name"), Name("arguments"));
inline constexpr auto kToolCallResponse = OnEvent(Name("id"), Name("content"), Name("is_error"), Name("denied"));
inline constexpr auto kInquiryRequest =
    OnEvent(Name("id"), Name("key"), Name("source"), Name("question"), Name("escalated_from"));
// `answer` is known whatever the outcome: of another outcome it must not be kept as an unknown field.
inline constexpr auto kAnswered =
    OnEvent(Name("id"), Name("key"), Name("outcome"), Name("answer"), Name("responder"), Name("reason"));
inline constexpr auto kCancelled = kAnswered;
inline constexpr auto kRedacted = OnEvent(Name("id"), Name("key"), Name("outcome"), Name("answer"), Name("responder"));

enum KeyField { kToolCall, kKeyQuestion, kAttempt };
inline constexpr std::array<Name, 3> kInquiryKey{"tool_call", "question", "attempt"};

enum DenialField { kDenialReason, kDenialResponder };
inline constexpr std::array<Name, 2> kDenial{"reason", "responder"};

enum SourceField { kSourceKind, kSourceName };
inline constexpr std::array<Name, 2> kNamedSource{"source", "name"};
inline constexpr std::array<Name, 1> kNamelessSource{"source"};

enum QuestionField { kText, kAnswerType, kDefault, kContext, kExclusive, kPersistence };
inline constexpr std::array<Name, 6> kQuestionNames{"text",    "answer_type", "default",
                                                    "context", "exclusive",   "persistence"};

enum AnswerTypeField { kAnswerKind, kOptions, kOther, kAnswerSchema = kOptions };
inline constexpr std::array<Name, 1> kPlainAnswer{"type"};
inline constexpr std::array<Name, 3> kSelectAnswer{"type", "options", "other"};
inline constexpr std::array<Name, 2> kSchemaAnswer{"type", "schema"};

enum OptionField { kValue, kDescription };
inline constexpr std::array<Name, 2> kOption{"value", "description"};

enum ResponderField { kResponderKind, kModel, kWho, kVia };
inline constexpr std::array<Name, 4> kResponderNames{"kind", "model", "who", "via"};

enum RepairField { kProfile = kCommonCount, kHead, kFrom, kTo, kItems, kRetracts, kUndoes };
inline constexpr auto kRepair =
    OnEvent(Name("profile"), Name("head"), Name("from"), Name("to"), Name("items"), Name("retracts"), Name("undoes"));

enum RepairItemField { kDrop, kInsertAfter, kMove, kToAfter, kCause, kRule, kEvent };
inline constexpr std::array<Name, 7> kRepairItem{"drop", "insert_after", "move", "to_after", "cause", "rule", "event"};

// How an action is written: the field that identifies it, and those of its anchor and its cause.
struct RepairForm {
  RepairAction action;
  RepairItemField mark, anchor, cause;

  constexpr bool Has(std::size_t field) const {
    return field == anchor || field == cause || field == kRule || (field == kEvent && action == RepairAction::kInsert);
  }
};

inline constexpr std::array<RepairForm, 3> kRepairForms{{
    {RepairAction::kDrop, kDrop, kDrop, kDrop},
    {RepairAction::kInsert, kInsertAfter, kInsertAfter, kCause},
    {RepairAction::kMove, kMove, kToAfter, kMove},
}};

constexpr const RepairForm& FormOf(RepairAction action) { return kRepairForms[static_cast<std::size_t>(action)]; }

enum RedactionField { kBy = kCommonCount, kEvents, kRules };
inline constexpr auto kRedaction = OnEvent(Name("by"), Name("events"), Name("rules"));

enum RedactedByRuleField { kRedactedRule, kRedactedEvents, kRedactedSeqs };
inline constexpr std::array<Name, 3> kRedactedByRule{"rule", "events", "seqs"};

// A verbatim event whose own object does not say all: one without a `type`, or with a source text.
enum WrapperField { kTag = kCommonCount, kVerbatim };
inline constexpr auto kWrapper = OnEvent(Name("tag"), Name("verbatim"));

static_assert(kMaxIdBytes == 1024);
inline constexpr const char* kIdLength = "an id has 1 to 1024 bytes";

// The words for enums, by value.
inline constexpr std::array<Name, 4> kSourceKinds{"tool", "assistant", "user", "other"};
inline constexpr std::array<Name, 6> kAnswerKinds{"boolean", "select", "multi_select", "text", "schema", "secret"};
inline constexpr std::array<Name, 3> kOutcomes{"answered", "cancelled", "redacted"};

}  // namespace turnlog::fields
