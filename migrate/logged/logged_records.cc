#include "migrate/logged/logged_records.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/try.h"
#include "migrate/logged/stored_events.h"
#include "migrate/records/record_writer.h"
#include "migrate/records/revised_records.h"

namespace turnlog {
namespace {

// The arguments of the call whose questions are at `question`: the two are of one record.
Result<std::optional<std::string>> ReadCallBefore(Log& log, const ConversationId& conversation, Seq question,
                                                  std::string_view call) {
  constexpr std::uint64_t kNear = 64;
  const ReadOptions options{.from = question, .from_turn = {}, .last_turns = {}, .backward = true, .limit = kNear};
  const auto cursor = TURNLOG_TRY(log.ReadRaw(conversation, options));
  for (;;) {
    const Item item = TURNLOG_TRY(cursor->Next());
    const auto* record = std::get_if<Record>(&item);
    if (record == nullptr) return std::nullopt;
    const EventView event = TURNLOG_TRY(record->Decode());
    const auto* request = std::get_if<ToolCallRequestView>(&event.body);
    if (request != nullptr && request->id == call) return std::string(request->arguments.text());
  }
}

// The call whose question an inquiry id names: "<call>.<question>.<attempt>".
std::string_view CallOf(std::string_view inquiry) {
  const std::string_view question = inquiry.substr(0, inquiry.rfind('.'));
  return question.substr(0, question.rfind('.'));
}

}  // namespace

// An append of repeats succeeds whatever is expected, and no other one can.
Result<std::optional<Seq>> FindEvent(Log& log, const ConversationId& conversation, std::string_view id) {
  EventView probe;
  probe.body = TurnStart{};
  probe.event_id = id;
  const auto appended = log.Append(conversation, {&probe, 1}, {Durability::kBuffered, Seq{UINT64_MAX}});
  if (appended) return appended->events.front().seq;
  const ErrorCode code = appended.error().code;
  if (code == ErrorCode::kConflict || code == ErrorCode::kInvalidArgument) return std::nullopt;
  return std::unexpected(appended.error());
}

Result<bool> HasEvent(Log& log, const ConversationId& conversation, std::string_view id) {
  return TURNLOG_TRY(FindEvent(log, conversation, id)).has_value();
}

Result<Seq> FindRecord(Log& log, const ConversationId& conversation, std::span<const EventView> record) {
  for (const EventView& event : record) {
    if (!event.event_id) continue;
    if (const auto seq = TURNLOG_TRY(FindEvent(log, conversation, *event.event_id))) return *seq;
  }
  return Seq{0};
}

// Nothing, and the status, if it is an error.
template <class T>
T LoggedRecords::ValueOf(Result<T> result) {
  if (result) return *std::move(result);
  if (status_) status_ = std::unexpected(std::move(result).error());
  return T();
}

void LoggedRecords::Add(const ConversationId& conversation, std::vector<std::uint64_t> unlisted) {
  std::ranges::sort(unlisted);
  conversations_.push_back({conversation, std::move(unlisted)});
}

EarlierRecords::Found LoggedRecords::Find(std::string_view conversation, std::string_view id) {
  for (const Conversation& each : conversations_) {
    const bool same = each.id.text() == conversation;
    if (Has(each, id)) return same ? Found::kInSameFile : Found::kInEarlierFile;
    if (same) break;
  }
  return Found::kNot;
}

// The event of a copy has no id.
bool LoggedRecords::HasAsOwn(std::string_view conversation, std::string_view id) {
  const auto own = ConversationId::Parse(conversation);
  return own && Has({*own, {}}, id);
}

std::string LoggedRecords::Read(std::string_view conversation, std::string_view id) {
  const ConversationId* const own = IdOf(conversation);
  if (own == nullptr) return {};
  return ValueOf(ReadBytes(*own, id));
}

Result<std::string> LoggedRecords::ReadBytes(const ConversationId& conversation, std::string_view id) {
  const auto first = TURNLOG_TRY(FindEvent(log_, conversation, id));
  if (!first) return std::string();
  const RevisedRecords records = TURNLOG_TRY(RevisedRecords::Find(log_, conversation, 0));
  std::string bytes;
  TURNLOG_TRY(records.Read(*first, bytes));
  return std::string(WithoutSeparators(bytes));
}

bool LoggedRecords::Has(const Conversation& conversation, std::string_view id) {
  if (std::ranges::binary_search(conversation.unlisted, Hash64(id))) return true;
  return ValueOf(HasEvent(log_, conversation.id, id));
}

const ConversationId* LoggedRecords::IdOf(std::string_view conversation) const {
  const auto found = std::ranges::find(conversations_, conversation, [](const auto& each) { return each.id.text(); });
  return found == conversations_.end() ? nullptr : &found->id;
}

std::optional<std::string> LoggedRecords::OpenQuestions(std::string_view conversation, std::string_view call) {
  const ConversationId* const id = IdOf(conversation);
  if (id == nullptr) return std::nullopt;
  return ValueOf(FindOpenCall(*id, call));
}

bool LoggedRecords::HasAsked(std::string_view conversation, std::string_view inquiry) {
  const auto id = ConversationId::Parse(conversation);
  if (!id) return false;
  auto found = log_.FindInquiryRaw(*id, {.text = inquiry, .key = {}});
  if (!found && found.error().code == ErrorCode::kNotFound) return false;
  const std::vector<InquiryRecord> attempts = ValueOf(std::move(found));
  return !attempts.empty() && attempts.back().request;
}

std::vector<std::string> LoggedRecords::AskingCalls(std::string_view conversation) {
  const ConversationId* const id = IdOf(conversation);
  if (id == nullptr) return {};
  return ValueOf(FindAskingCalls(*id));
}

// The log's own list of what is pending ends with the turn.
Result<std::vector<std::string>> LoggedRecords::FindAskingCalls(const ConversationId& conversation) {
  std::vector<std::string> calls;
  std::vector<Damage> damage;
  StoredEvents events = TURNLOG_TRY(StoredEvents::Open(log_, conversation));
  while (const auto event = TURNLOG_TRY(events.NextIntact(damage))) {
    const auto* request = std::get_if<InquiryRequestView>(&event->event.body);
    if (request == nullptr) continue;
    const std::string_view call = CallOf(request->id.text);
    if (calls.empty() || calls.back() != call) calls.emplace_back(call);
  }
  return calls;
}

Result<std::optional<std::string>> LoggedRecords::FindOpenCall(const ConversationId& conversation,
                                                               std::string_view call) {
  constexpr int kMaxQuestions = 16;
  for (int number = 1; number <= kMaxQuestions; ++number) {
    const auto id = MakeInquiryId(call, "q" + std::to_string(number), 1);
    if (!id) break;
    const auto attempts = TURNLOG_TRY(log_.FindInquiryRaw(conversation, {.text = id->text, .key = {}}));
    if (attempts.empty() || !attempts.back().request || attempts.back().response) continue;
    return ReadCallBefore(log_, conversation, *attempts.back().request, call);
  }
  return std::nullopt;
}

}  // namespace turnlog
