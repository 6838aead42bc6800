#include "migrate/import/grown_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/try.h"
#include "migrate/compare/event_meaning.h"
#include "migrate/compare/seen_records.h"
#include "migrate/logged/imported_events.h"
#include "migrate/logged/quarantine.h"
#include "migrate/records/foreign_event.h"
#include "migrate/records/record_revision.h"
#include "migrate/records/record_writer.h"
#include "migrate/sources/item_encoder.h"

namespace turnlog {
namespace {

// Of the bytes of a document whose text is not valid.
constexpr std::string_view kOriginal = "original";

// Empty: the event has none.
std::string IdOf(const EventView& event) {
  if (OriginalText(event)) return std::string(kOriginal);
  if (const auto* call = std::get_if<ToolCallRequestView>(&event.body)) return fmt::format("call {}", call->id);
  if (const auto* result = std::get_if<ToolCallResponseView>(&event.body)) return fmt::format("result {}", result->id);
  const auto of_inquiry = [](std::string_view what, const InquiryIdView& id) {
    return fmt::format("{} {}", what, id.text);
  };
  if (const auto* asked = std::get_if<InquiryRequestView>(&event.body)) return of_inquiry("question", asked->id);
  if (const auto* answer = std::get_if<InquiryResponseView>(&event.body)) return of_inquiry("answer", answer->id);
  return {};
}

// Of the conversation, which is the only one; valid until the reader returns another item. Null: it says none.
std::string_view* NameIn(SourceItem& item) {
  if (auto* event = std::get_if<SourceEvent>(&item)) return &event->conversation;
  if (auto* part = std::get_if<SourcePart>(&item)) return &part->conversation;
  if (auto* note = std::get_if<SourceNote>(&item)) return &note->conversation;
  auto* point = std::get_if<SourceResumePoint>(&item);
  return point != nullptr ? &point->conversation : nullptr;
}

}  // namespace

Result<SourceItem> GrownDocument::Next() {
  if (!std::exchange(read_, true)) TURNLOG_TRY(Read());
  if (items_.empty()) return EndOfSource();
  SourceItem item = std::move(items_.front());
  items_.pop_front();
  return item;
}

Status GrownDocument::Read() {
  for (bool more = true; more;) {
    SourceItem& item = items_.emplace_back(TURNLOG_TRY(reader_->Next()));
    if (const std::string_view* name = NameIn(item)) conversation_ = *name;
    more = !std::holds_alternative<EndOfSource>(item);
    if (auto* event = std::get_if<SourceEvent>(&item)) {
      location_ = event->location;
      HeldEvent held = event->TakeEvent();
      event->event = held.event;
      event->memory = std::move(held.memory);
    }
  }
  for (SourceItem& item : items_) {
    if (std::string_view* name = NameIn(item)) *name = conversation_;
  }
  return Merge();
}

Status GrownDocument::Merge() {
  TURNLOG_TRY(TakeNow());
  if (now_.empty() || std::ranges::any_of(now_, &Part::quarantined)) return {};
  TURNLOG_TRY(TakeKnown());
  if (!known_.empty() && known_.front().id != kOriginal) JoinOriginal();
  FindWhole();
  if (IsKnownAsText()) return HasSameText() ? LeaveOut() : Refuse(), Status();
  if (whole_ != nullptr && !whole_->readable) return LeaveOut(), Status();
  if (TURNLOG_TRY(OnlyGrows())) return {};
  if (TURNLOG_TRY(Match())) {
    LookForLost();
    if (!lost_ || !has_new_) return Arrange(), Status();
    differs_ = *lost_;
  }
  return Refuse(), Status();
}

void GrownDocument::Refuse() { items_.insert(items_.begin(), SourceFault{conversation_, At(location_, WhyRefused())}); }

Status GrownDocument::TakeNow() {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const auto* event = std::get_if<SourceEvent>(&items_[i]);
    if (event == nullptr) continue;
    Part& part = now_.emplace_back(TURNLOG_TRY(MakePart(event->event.View())));
    part.item = i;
    part.event = {event->event, event->memory};
  }
  return {};
}

// Nothing if the conversation is new, or is to be refused because it is from elsewhere.
Status GrownDocument::TakeKnown() {
  const auto id = ConversationId::Parse(conversation_);
  if (!id) return {};
  const Seq last = TURNLOG_TRY(LastSeq(log_, *id));
  const auto imports = TURNLOG_TRY(FindImports(log_, *id, last));
  if (!imports || imports->last.format != format_.name) return {};
  StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log_, *id));
  EventOrigins origins;
  while (const auto event = TURNLOG_TRY(stored.Next())) {
    if (origins.Next(*event) != EventOrigin::kImported || ReadRevision(event->event)) continue;
    Part& part = known_.emplace_back(TURNLOG_TRY(MakePart(event->event)));
    part.seq = event->seq;
    part.event = HeldEvent::Encode(event->event);
    part.readable = !event->erased && !event->redacted;
  }
  is_complete_ = origins.missing() == 0;
  return {};
}

Result<GrownDocument::Part> GrownDocument::MakePart(const EventView& event) {
  Part part{.seq = {}, .event = {}, .meaning = {}, .id = IdOf(event), .other = {}};
  if (part.id == kOriginal) return part;
  part.quarantined = IsQuarantined(event);
  part.foreign = ReadForeign(event).has_value();
  const auto redacted = secrets_ != nullptr ? TURNLOG_TRY(secrets_->Redact(event)).event : std::nullopt;
  part.meaning = MeaningOf(redacted ? View(*redacted) : event, format_);
  return part;
}

// The text of the document was valid when it was imported: its bytes are compared with those of now as its first
// event's.
void GrownDocument::JoinOriginal() {
  if (now_.size() < 2 || now_.front().id != kOriginal) return;
  const std::string text = *OriginalText(now_.front().event.event.View());
  items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(now_.front().item));
  now_.erase(now_.begin());
  for (Part& part : now_) --part.item;
  SetBytes(text);
}

Result<std::string> GrownDocument::MeaningWithoutRedacted(const Part& now) {
  if (redacted_values_.empty()) return now.meaning;
  const auto without = TURNLOG_TRY(redacted_values_.Remove(now.event.event.View()));
  return without ? TURNLOG_TRY(MakePart(View(*without))).meaning : now.meaning;
}

void GrownDocument::FindWhole() {
  const auto whole = std::ranges::find_if(known_, &Part::foreign);
  if (whole != known_.end() && std::ranges::none_of(now_, &Part::foreign)) whole_ = &*whole;
}

// The log has it as text that was not valid, of which nothing was understood: what is added to that would repeat it.
bool GrownDocument::IsKnownAsText() {
  if (!is_complete_ || known_.size() != 1 || known_.front().id != kOriginal || now_.size() < 2) return false;
  differs_ = known_.front().seq;
  return true;
}

bool GrownDocument::HasSameText() const {
  return !known_.front().readable ||
         OriginalText(known_.front().event.event.View()) == OriginalText(now_.front().event.event.View());
}

// Its events could bring back what was redacted: the log keeps what it has.
void GrownDocument::LeaveOut() {
  std::erase_if(items_, [](const SourceItem& item) { return std::holds_alternative<SourceEvent>(item); });
  for (const Part& part : known_ | std::views::reverse) items_.push_front(Repeat(part));
}

// What was redacted in `known` cannot be compared: it is learned.
Result<bool> GrownDocument::IsSame(const Part& known, const Part& now) {
  if (!known.readable) {
    redacted_values_.Learn(known.event.event.View(), now.event.event.View());
    return true;
  }
  return known.meaning == now.meaning || known.meaning == TURNLOG_TRY(MeaningWithoutRedacted(now));
}

Result<bool> GrownDocument::OnlyGrows() {
  if (now_.size() < known_.size()) return false;
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (TURNLOG_TRY(IsSame(known_[i], now_[i]))) continue;
    redacted_values_ = {};
    return false;
  }
  return true;
}

// False: something differs.
Result<bool> GrownDocument::Match() {
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const Part& known = known_[i];
    if (&known == whole_) continue;
    if (!known.id.empty()) {
      known_ids_[known.id].push_back(i);
    } else if (!known.quarantined) {
      known.readable ? known_texts_[known.meaning].push_back(i)
                     : redacted_[ToString(known.event.event.kind)].push_back(i);
    }
  }
  for (std::size_t i = 0; i < now_.size(); ++i) {
    const bool matches = TURNLOG_TRY(now_[i].id.empty() ? MatchByMeaning(i) : MatchById(i));
    if (!matches) return false;
  }
  return true;
}

Result<bool> GrownDocument::MatchById(std::size_t now) {
  const auto found = known_ids_.find(now_[now].id);
  if (found == known_ids_.end() || found->second.empty()) return true;
  const std::size_t at = found->second.front();
  found->second.pop_front();
  Part& known = known_[at];
  differs_ = known.seq;
  known.other = now;
  now_[now].other = at;
  return IsSame(known, now_[now]);
}

// What has no id keeps its order, and nothing new comes before what was there.
Result<bool> GrownDocument::MatchByMeaning(std::size_t now) {
  const auto next = [this](Places& all, const auto& key) {
    const auto found = all.find(key);
    if (found == all.end()) return known_.size();
    std::deque<std::size_t>& places = found->second;
    while (!places.empty() && places.front() < next_known_) places.pop_front();
    return places.empty() ? known_.size() : places.front();
  };
  const std::string without = TURNLOG_TRY(MeaningWithoutRedacted(now_[now]));
  const std::size_t at = std::min({next(known_texts_, now_[now].meaning), next(known_texts_, without),
                                   next(redacted_, ToString(now_[now].event.event.kind))});
  if (at == known_.size()) return has_new_ = true;
  differs_ = known_[at].seq;
  known_[at].other = now;
  now_[now].other = at;
  next_known_ = at + 1;
  (void)TURNLOG_TRY(IsSame(known_[at], now_[now]));
  return !has_new_;
}

void GrownDocument::LookForLost() {
  std::set<std::string_view> meanings;
  for (const Part& part : now_) meanings.insert(part.meaning);
  const auto lost = std::ranges::find_if(known_, [&](const Part& part) {
    return &part != whole_ && part.id.empty() && part.readable && !part.quarantined && !part.other &&
           !meanings.contains(part.meaning);
  });
  if (lost != known_.end()) lost_ = lost->seq;
}

void GrownDocument::Arrange() {
  if (whole_ != nullptr || now_.front().other) ShowAllBytes();
  std::deque<SourceItem> arranged;
  for (const Part& part : known_) {
    arranged.push_back(part.other ? std::move(items_[now_[*part.other].item]) : SourceItem(Repeat(part)));
  }
  for (const Part& part : now_) {
    if (!part.other) arranged.push_back(std::move(items_[part.item]));
  }
  for (SourceItem& item : items_) {
    if (!std::holds_alternative<SourceEvent>(item)) arranged.push_back(std::move(item));
  }
  if (lost_) {
    ImportReason reason{ImportProblemCode::kShrunk, "has fewer events than were imported before: the log keeps them"};
    arranged.push_front(SourceNote{conversation_, At(location_, std::move(reason)), SourceNote::Weight::kAlways});
  }
  items_ = std::move(arranged);
}

// In another order, the events would not fill the template of the record. Its bytes are compared with those that the
// log has of it, as if no event had any of them; they do not come in with this event, which is there.
void GrownDocument::ShowAllBytes() {
  std::string bytes;
  RecordWriter writer;
  for (const Part& part : now_) writer.Add(part.event.event.View(), bytes);
  SetBytes(bytes);
}

// Of the first event of the record in the log.
void GrownDocument::SetBytes(std::string_view bytes) {
  const bool in_whole = whole_ != nullptr && now_.front().id != kOriginal;
  SetSourceText(now_.front(), in_whole ? std::nullopt : std::optional(bytes));
  if (in_whole) SetSourceText(*whole_, bytes);
}

void GrownDocument::SetSourceText(Part& part, std::optional<std::string_view> bytes) {
  EventView event = part.event.event.View();
  event.source_text = bytes;
  part.event = HeldEvent::Encode(event);
  if (part.seq.value > 0) return;  // of the log: it is yet to be repeated
  auto& item = std::get<SourceEvent>(items_[part.item]);
  item.event = part.event.event;
  item.memory = part.event.memory;
}

// What only the log has, which stays.
SourceEvent GrownDocument::Repeat(const Part& known) const {
  SourceEvent event{.conversation = conversation_, .seq = {}, .event = known.event.event, .location = location_};
  event.memory = known.event.memory;
  return event;
}

ImportReason GrownDocument::WhyRefused() const {
  return {ImportProblemCode::kChanged, fmt::format("differs from the event imported before as seq {}", differs_.value)};
}

}  // namespace turnlog
