#include "turnlog/copy_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/try.h"
#include "log/item.h"

namespace turnlog {
namespace {

constexpr std::size_t kConversationsAtOnce = 1024;
constexpr std::size_t kEventsAtOnce = 256;
constexpr std::size_t kBytesAtOnce = std::size_t{2} << 20;

// An event of this kind, to be erased at once. Nothing for the request of an inquiry: an unknown id would leave it
// pending.
std::optional<Event> Placeholder(EventKind kind) {
  const std::string id = "erased";
  switch (kind) {
    case EventKind::kTurnStart:
      return Event{.body = TurnStart{}};
    case EventKind::kChatRequest:
      return Event{.body = ChatRequest{}};
    case EventKind::kChatResponse:
      return Event{.body = ChatResponse{}};
    case EventKind::kToolCallRequest:
      return Event{.body = ToolCallRequest{.id = id, .name = id}};
    case EventKind::kToolCallResponse:
      return Event{.body = ToolCallResponse{.id = id}};
    case EventKind::kConfigDelta:
    case EventKind::kCompaction:
      return Event{.body = Verbatim{.kind = kind,
                                    .tag = std::string(ToString(kind)),
                                    .json = Json::FromTrusted(fmt::format(R"({{"type":"{}"}})", ToString(kind)))}};
    case EventKind::kUnknown:
      return Event{.body = Verbatim{.kind = kind, .tag = id, .json = Json::FromTrusted(R"({"type":"erased"})")}};
    case EventKind::kInquiryResponse:
      return Event{.body = InquiryResponse{Outcome::kCancelled, {id, {}}, {}, id, {}}};
    case EventKind::kInquiryRequest:
    case EventKind::kRepair:
    case EventKind::kRedaction:
      break;
  }
  return std::nullopt;
}

// One that does not say which has replaced whatever is redacted before it.
bool Replaces(const EventView& redaction, Seq seq) {
  const auto* record = std::get_if<RedactionRecordView>(&redaction.body);
  if (record == nullptr || record->rules.empty()) return true;
  return std::ranges::any_of(record->rules, [&](const auto& rule) {
    return std::ranges::any_of(rule.seqs,
                               [&](const SeqRange& range) { return range.first <= seq && seq <= range.last; });
  });
}

class ConversationCopy {
 public:
  ConversationCopy(Log& from, Log& to, ConversationId id, Seq last)
      : from_(from), to_(to), id_(std::move(id)), last_(last) {}

  // The problem that prevents it, if there is one.
  Result<std::optional<CopyProblem>> Run() {
    const auto there = to_.Info(id_);
    if (!there && there.error().code != ErrorCode::kNotFound) return std::unexpected(there.error());
    at_ = there ? there->last : Seq{0};
    if (at_ > last_) return Problem(last_, fmt::format("the copy has {} events more", at_.value - last_.value));
    // What is there is compared first: nothing is appended to another history.
    if (auto problem = TURNLOG_TRY(Compare(at_))) return problem;
    if (!placeholders_.empty()) (void)TURNLOG_TRY(to_.Erase(id_, placeholders_));
    const Seq before = at_;
    if (auto problem = TURNLOG_TRY(AppendRest())) return problem;
    copied_ = last_.value - before.value;
    if (auto problem = TURNLOG_TRY(Compare(last_))) return problem;
    if (!placeholders_.empty()) return Problem(placeholders_.front(), "the event is not erased in the copy");
    if (!redacted_.empty()) return Problem(*redacted_.begin(), "that the event was redacted is not known in the copy");
    return ComparePending();
  }

  std::uint64_t copied() const { return copied_; }

 private:
  using Found = Result<std::optional<CopyProblem>>;

  CopyProblem Problem(Seq seq, std::string reason) const { return {id_.text(), seq.value, std::move(reason)}; }

  Found AppendRest() {
    if (at_ == last_) return std::nullopt;
    const auto cursor = TURNLOG_TRY(from_.ReadRaw(id_, {.from = {at_.value + 1}}));
    std::vector<Event> events;
    std::vector<Seq> erased;
    std::size_t bytes = 0;
    for (Seq seq{at_.value + 1}; seq <= last_; ++seq.value) {
      const Item item = TURNLOG_TRY(cursor->Next());
      if (const auto* damage = std::get_if<Damage>(&item)) return Problem(seq, ToString(*damage));
      if (const auto* record = std::get_if<Record>(&item)) {
        const EventView event = TURNLOG_TRY(record->Decode());
        if (record->redacted) redacted_.insert(seq);
        if (record->kind == EventKind::kRedaction) {
          TURNLOG_TRY(AppendBatch(events, erased));
          bytes = 0;
          if (TURNLOG_TRY(RedactAgain(event))) continue;
        }
        events.push_back(Own(event));
        bytes += record->payload.size();
      } else if (const auto* gone = std::get_if<Erased>(&item)) {
        auto placeholder = Placeholder(gone->kind);
        if (!placeholder) return Problem(seq, "an erased question cannot be copied: its id is gone");
        events.push_back(*std::move(placeholder));
        erased.push_back(seq);
      }
      if (seq < last_ && events.size() < kEventsAtOnce && bytes < kBytesAtOnce) continue;
      TURNLOG_TRY(AppendBatch(events, erased));
      bytes = 0;
    }
    return std::nullopt;
  }

  // Events that this redaction has replaced are in the copy, with their contents as they are now: replaces them by the
  // same. False: there are none.
  Result<bool> RedactAgain(const EventView& redaction) {
    std::vector<Event> events;
    std::vector<Seq> seqs;
    for (const Seq seq : redacted_) {
      if (!Replaces(redaction, seq)) continue;
      const auto cursor = TURNLOG_TRY(from_.ReadRaw(id_, {.from = seq, .limit = 1}));
      const Item item = TURNLOG_TRY(cursor->Next());
      const auto* found = std::get_if<Record>(&item);
      if (found == nullptr) continue;  // erased or damaged meanwhile, as the comparison finds
      events.push_back(Own(TURNLOG_TRY(found->Decode())));
      seqs.push_back(seq);
    }
    if (seqs.empty()) return false;
    std::vector<Replacement> replacements;
    for (std::size_t i = 0; i < seqs.size(); ++i) replacements.push_back({seqs[i], View(events[i])});
    (void)TURNLOG_TRY(to_.Redact(id_, replacements, redaction, {.expected_last = at_}));
    ++at_.value;
    for (const Seq seq : seqs) redacted_.erase(seq);
    return true;
  }

  Status AppendBatch(std::vector<Event>& events, std::vector<Seq>& erased) {
    if (events.empty()) return {};
    (void)TURNLOG_TRY(to_.Append(id_, events, {.durability = Durability::kBuffered, .expected_last = at_}));
    at_.value += events.size();
    if (!erased.empty()) (void)TURNLOG_TRY(to_.Erase(id_, erased));
    events.clear();
    erased.clear();
    return {};
  }

  // The first difference up to `last`. Finds out which redacted events are not known as such in the copy, and which
  // placeholders an interrupted copy has not erased.
  Found Compare(Seq last) {
    redacted_.clear();
    placeholders_.clear();
    if (last == Seq{0}) return std::nullopt;
    const auto ours = TURNLOG_TRY(from_.ReadRaw(id_));
    const auto theirs = TURNLOG_TRY(to_.ReadRaw(id_));
    for (Seq seq{1}; seq <= last; ++seq.value) {
      const Item one = TURNLOG_TRY(ours->Next());
      const Item other = TURNLOG_TRY(theirs->Next());
      for (const Item* item : {&one, &other}) {
        if (const auto* damage = std::get_if<Damage>(item)) return Problem(seq, ToString(*damage));
      }
      if (TURNLOG_TRY(IsPlaceholder(one, other))) {
        placeholders_.push_back(seq);
        continue;
      }
      if (!TURNLOG_TRY(Equal(one, other))) return Problem(seq, "the event differs in the copy");
      if (IsRedacted(one) && !IsRedacted(other)) redacted_.insert(seq);
    }
    return std::nullopt;
  }

  // The answer that was erased may be that of a question which is still there: in the copy, nothing closes it.
  Found ComparePending() {
    const auto ours = TURNLOG_TRY(from_.PendingRaw(id_));
    const auto theirs = TURNLOG_TRY(to_.PendingRaw(id_));
    if (std::ranges::equal(ours, theirs, {}, &PendingInquiry::request, &PendingInquiry::request)) return std::nullopt;
    return Problem(last_, "questions whose answers were erased are open in the copy");
  }

  static bool IsRedacted(const Item& item) {
    const auto* record = std::get_if<Record>(&item);
    return record != nullptr && record->redacted;
  }

  static Result<bool> IsPlaceholder(const Item& one, const Item& other) {
    const auto* erased = std::get_if<Erased>(&one);
    const auto* copy = std::get_if<Record>(&other);
    if (erased == nullptr || copy == nullptr) return false;
    if (erased->kind != copy->kind || erased->turn != copy->turn) return false;
    const auto placeholder = Placeholder(erased->kind);
    return placeholder && Own(TURNLOG_TRY(copy->Decode())) == *placeholder;
  }

  static Result<bool> Equal(const Item& one, const Item& other) {
    const auto* record = std::get_if<Record>(&one);
    const auto* copy = std::get_if<Record>(&other);
    if (record == nullptr && copy == nullptr) {
      const auto* erased = std::get_if<Erased>(&one);
      const auto* gone = std::get_if<Erased>(&other);
      return erased != nullptr && gone != nullptr && erased->kind == gone->kind && erased->turn == gone->turn;
    }
    if (record == nullptr || copy == nullptr) return false;
    if (record->seq != copy->seq || record->turn != copy->turn || record->kind != copy->kind) return false;
    // An older writer may have encoded the same event otherwise.
    if (record->payload == copy->payload) return true;
    return Own(TURNLOG_TRY(record->Decode())) == Own(TURNLOG_TRY(copy->Decode()));
  }

  Log& from_;
  Log& to_;
  const ConversationId id_;
  const Seq last_;
  Seq at_;                         // last seq of the copy
  std::set<Seq> redacted_;         // of the copied ones, those that are not redacted in the copy yet
  std::vector<Seq> placeholders_;  // and those that are not erased in the copy yet
  std::uint64_t copied_ = 0;
};

}  // namespace

Result<CopyReport> CopyLog(Log& from, Log& to, const Progress& progress) {
  CopyReport report;
  std::uint64_t done = 0;
  const std::uint64_t total = TURNLOG_TRY(from.Stats()).events;
  for (std::string after;;) {
    const auto page = TURNLOG_TRY(from.List(after, kConversationsAtOnce));
    if (page.empty()) break;
    for (const ConversationInfo& info : page) {
      ConversationCopy copy(from, to, TURNLOG_TRY(ConversationId::Parse(info.id)), info.last);
      if (auto problem = TURNLOG_TRY(copy.Run())) {
        report.problems.push_back(*std::move(problem));
      } else {
        ++report.conversations;
        report.events += info.last.value;
        report.copied_events += copy.copied();
      }
      done += info.last.value;
      if (progress) progress(done, total);
    }
    after = page.back().id;
  }
  TURNLOG_TRY(to.Checkpoint());
  return report;
}

}  // namespace turnlog
