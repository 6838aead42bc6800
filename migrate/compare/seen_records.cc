#include "migrate/compare/seen_records.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "migrate/compare/event_meaning.h"
#include "migrate/compare/event_places.h"
#include "migrate/compare/mended_record.h"
#include "migrate/logged/quarantine.h"
#include "migrate/records/salvage.h"
#include "sanitize/redaction/redacted_text.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

std::uint64_t TurnsIn(std::span<const EventView> events) {
  return static_cast<std::uint64_t>(
      std::ranges::count(events, EventKind::kTurnStart, [](const EventView& event) { return event.kind(); }));
}

std::uint64_t KindsAfter(std::uint64_t before, const EventView& event) {
  return before * 64 + static_cast<std::uint64_t>(event.kind()) + 1;
}

std::uint64_t HashOfBytes(std::string_view bytes) {
  bytes = WithoutSeparators(bytes);
  return bytes.empty() ? 0 : Hash64(bytes);
}

std::uint64_t HashOfBytes(std::span<const EventView> record) {
  RecordWriter writer;
  std::string bytes;
  for (const EventView& event : record) writer.Add(event, bytes);
  return HashOfBytes(bytes);
}

// Whenever it came.
std::uint64_t HashOfResult(const EventView& event) {
  const auto* result = std::get_if<ToolCallResponseView>(&event.body);
  return result == nullptr ? 0 : Hash64(result->content, HashId(result->id, result->is_error ? 1 : 0).low);
}

}  // namespace

bool BeginsRecord(const EventView& event) {
  return IsQuarantined(event) || event.source_text || (event.event_id && !event.event_id->contains('#'));
}

std::optional<std::string> OriginalText(const EventView& event) {
  auto quarantined = ReadQuarantined(event);
  if (!quarantined || quarantined->reason != kTextReplaced || !IsUtf8(quarantined->raw)) return std::nullopt;
  return std::move(quarantined->raw);
}

// The first event of a record has none if it is a compaction.
std::optional<std::string> RecordIdIn(const EventView& event) {
  if (!event.event_id) return std::nullopt;
  return std::string(event.event_id->substr(0, event.event_id->find('#')));
}

bool IsUnrecognisable(const EventView& event) { return !event.event_id && ToJson(event).contains(kRedactionMark); }

void SeenRecords::Add(const EventView& event, bool known, Seq seq) {
  const auto id = RecordIdIn(event);
  if (BeginsRecord(event)) {
    EndRecord();
  } else if (id && id != current_.id && (current_.id || by_id_.contains(HashId(*id, 0)))) {
    GoOn(*id);
  }
  if (!current_.id) current_.id = id;
  if (!current_.in_record) current_.first = seq;
  current_.in_record = true;
  ++current_.events;
  current_.known &= known;
  AddTo(current_.contents, event);
  current_.kinds = KindsAfter(current_.kinds, event);
  current_.comes_late &= MayComeLate(event.kind());
  if (format_.import.numbers_records) current_.said = known ? HashButForNumber(event, format_, current_.said) : 0;
  writer_.Add(event, bytes_);
  turns_ += TurnsIn({&event, 1});
  const auto* result = std::get_if<ToolCallResponseView>(&event.body);
  if (result == nullptr) return;
  answered_.insert(HashId(result->id, 0));
  const auto of_record = current_.id ? by_id_.find(HashId(*current_.id, 0)) : by_id_.end();
  if (known) results_[HashOfResult(event)] = of_record == by_id_.end() ? places_.size() : of_record->second.number;
}

void SeenRecords::AddTo(Contents& contents, EventView event) const {
  event.event_id.reset();
  if (MayComeLate(event.kind())) {
    contents.late += Hash64(MeaningOf(event, format_));
  } else {
    contents.ordered = Hash64(MeaningOf(event, format_), contents.ordered);
  }
}

// With a record that has grown after others had been added.
void SeenRecords::GoOn(const std::string& id) {
  EndRecord();
  const auto found = by_id_.find(HashId(id, 0));
  if (found == by_id_.end()) return;
  const Seen& seen = found->second;
  current_.id = id;
  current_.in_record = true;
  current_.known = seen.contents.has_value();
  current_.contents = seen.contents.value_or(Contents());
  current_.kinds = seen.kinds;
  current_.begun_bytes = seen.bytes;
  current_.first = seen.first;
  current_.events = seen.events;
}

bool SeenRecords::Finish() {
  EndRecord();
  return recognisable_;
}

void SeenRecords::Revise(const std::function<std::uint64_t(Seq first)>& hash) {
  for (auto& [id, seen] : by_id_) {
    if (const std::uint64_t now = hash(seen.first); now != 0) seen.bytes = now;
  }
}

void SeenRecords::EndRecord() {
  const std::uint64_t bytes = bytes_.empty() ? current_.begun_bytes : HashOfBytes(bytes_);
  Seen seen{current_.known ? std::optional(current_.contents) : std::nullopt, bytes, current_.kinds, current_.first,
            current_.events};
  if (current_.id) {
    const auto [place, is_new] = by_id_.try_emplace(HashId(*current_.id, 0));
    seen.number = is_new ? AddPlace() : place->second.number;
    place->second = seen;
    left_ += is_new ? 1 : 0;
  } else if (current_.in_record) {
    recognisable_ &= current_.known;
    Counted& counted = count_[current_.contents.ordered + current_.contents.late];
    const std::size_t number = seen.number = AddPlace();
    if (counted.next == 0) counted.next = number;
    places_[counted.last].next = number;  // of number 0, it means nothing
    counted.last = number;
    ++counted.added;
    counted.seen = seen;
    ++left_;
  }
  current_ = {};
  bytes_.clear();
}

// The record that ends now.
std::size_t SeenRecords::AddPlace() {
  if (current_.said != 0) by_said_.emplace(current_.said, places_.size());
  places_.push_back({current_.first, 0, static_cast<std::uint32_t>(current_.events), current_.id.has_value(),
                     current_.comes_late, false});
  return places_.size() - 1;
}

SeenRecords::Verdict SeenRecords::Take(std::span<const EventView> record, const IsMended& is_mended) {
  const Verdict verdict = Find(record, is_mended);
  if (verdict == Verdict::kNew && MayHideOtherTurns(record)) return Verdict::kNamesOtherTurns;
  turns_in_source_ += TurnsIn(record);
  if (verdict == Verdict::kNew) turns_ += TurnsIn(record);
  return verdict;
}

SeenRecords::Verdict SeenRecords::Find(std::span<const EventView> record, const IsMended& is_mended) {
  last_.reset();
  id_is_taken_ = false;
  std::optional<std::string> id;
  for (std::size_t i = 0; i < record.size() && !id; ++i) id = RecordIdIn(record[i]);
  if (!id) return FindByContents(record, is_mended);
  if (format_.import.numbers_records) return FindNumbered(HashId(*id, 0), record, is_mended);
  const auto found = by_id_.find(HashId(*id, 0));
  if (found != by_id_.end()) return FindById(found->second, record, is_mended);
  if (IsMovedResult(record)) return Verdict::kSeen;
  has_new_ = has_new_ || KeepsAll();
  return Verdict::kNew;
}

// A row that follows one that doctor has put there has another number than in the log, which may be that of another
// row there.
SeenRecords::Verdict SeenRecords::FindNumbered(const Hash128& id, std::span<const EventView> record,
                                               const IsMended& is_mended) {
  const auto found = by_id_.find(id);
  const bool has_other = id_is_taken_ = found != by_id_.end();
  if (has_other && places_[found->second.number].taken) return FindShifted(record).value_or(Verdict::kChanged);
  const auto not_mended = [](Seq, std::size_t, std::span<const EventView>) { return false; };
  const Verdict verdict = has_other ? FindById(found->second, record, not_mended) : Verdict::kNew;
  if (verdict != Verdict::kChanged && verdict != Verdict::kNew) return verdict;
  if (const auto shifted = FindShifted(record)) return *shifted;
  if (has_other && is_mended(found->second.first, found->second.events, record)) return TakeKnown(found->second.number);
  if (is_shifted_ && FindMended(record, is_mended)) return Verdict::kSeen;
  return IsMissingResult(record) ? Verdict::kNew : verdict;
}

std::optional<SeenRecords::Verdict> SeenRecords::FindShifted(std::span<const EventView> record) {
  std::uint64_t said = 0;
  for (const EventView& event : record) said = HashButForNumber(event, format_, said);
  const auto [begin, end] = by_said_.equal_range(said);
  const auto found = std::find_if(begin, end, [&](const auto& place) { return !places_[place.second].taken; });
  if (found == end) return std::nullopt;
  is_shifted_ = true;
  last_.reset();
  return TakeKnown(found->second);
}

SeenRecords::Verdict SeenRecords::FindByContents(std::span<const EventView> record, const IsMended& is_mended) {
  if (const auto verdict = FindEqual(record)) return *verdict;
  if (FindMended(record, is_mended)) return Verdict::kSeen;
  has_new_ = has_new_ || !IsMissingResult(record);
  return Verdict::kNew;
}

// A record without an id, or one whose id another one has now. Nothing: there is none.
std::optional<SeenRecords::Verdict> SeenRecords::FindEqual(std::span<const EventView> record) {
  Contents contents;
  for (const EventView& event : record) AddTo(contents, event);
  if (const auto replaced = replaced_.extract(contents.ordered + contents.late)) {
    const auto& [number, first, bytes] = replaced.mapped();
    if (!format_.import.numbers_records) last_ = {first, bytes == HashOfBytes(record)};
    return TakeKnown(number);
  }
  const auto found = count_.find(contents.ordered + contents.late);
  if (found == count_.end()) return std::nullopt;
  Counted& counted = found->second;
  while (places_[counted.next].taken) counted.next = places_[counted.next].next;
  if (counted.next == 0) return std::nullopt;
  const std::uint64_t bytes = HashOfBytes(record);
  if (counted.added == 1 && counted.seen.bytes != 0 && bytes != 0) {
    last_ = {counted.seen.first, counted.seen.bytes == bytes};
  }
  return TakeKnown(counted.next);
}

SeenRecords::Verdict SeenRecords::TakeKnown(std::size_t number) {
  const bool moved = !TakePlace(number) || has_new_;
  return moved && !format_.import.moves_records ? Verdict::kMoved : Verdict::kSeen;
}

// Among the next records without ids: doctor may have removed some.
bool SeenRecords::FindMended(std::span<const EventView> record, const IsMended& is_mended) {
  constexpr int kMostRemoved = 8;
  if (has_new_) return false;
  int tried = 0;
  for (std::size_t i = next_place_; i < places_.size() && tried <= kMostRemoved; ++i) {
    const Place& place = places_[i];
    if (place.taken || (place.has_id && !is_shifted_)) continue;
    ++tried;
    if (!is_mended(place.first, place.events, record)) continue;
    last_ = {place.first, false};
    return TakePlace(i);
  }
  return false;
}

// False: the record comes before one that was taken, which only what may come late does where all is kept.
bool SeenRecords::TakePlace(std::size_t number) {
  Place& place = places_[number];
  if (!std::exchange(place.taken, true)) --left_;
  if (place.comes_late) return true;
  const bool in_order = number >= next_place_;
  next_place_ = std::max(next_place_, number + 1);
  return in_order || !KeepsAll();
}

bool SeenRecords::HasLeft(const std::function<bool(Seq first, std::size_t events)>& other_than) const {
  return std::any_of(places_.begin() + 1, places_.end(),
                     [&](const Place& place) { return !place.taken && !other_than(place.first, place.events); });
}

// Of a session that turnlog has written after a repair, in a record of its own.
bool SeenRecords::IsMovedResult(std::span<const EventView> record) {
  return std::ranges::all_of(record, [this](const EventView& event) { return MayMove(event); });
}

bool SeenRecords::MayMove(const EventView& result) {
  const std::uint64_t hash = HashOfResult(result);
  const auto found = results_.find(hash);
  const bool may = found != results_.end() && !places_[found->second].taken;
  if (may) moved_.insert(hash);
  return may;
}

bool SeenRecords::HasMoved(const EventView& result) const { return moved_.contains(HashOfResult(result)); }

bool SeenRecords::IsMissingResult(std::span<const EventView> record) const {
  return std::ranges::all_of(record, [&](const EventView& event) {
    const auto* result = std::get_if<ToolCallResponseView>(&event.body);
    return result != nullptr && !answered_.contains(HashId(result->id, 0));
  });
}

SeenRecords::Verdict SeenRecords::FindById(Seen& seen, std::span<const EventView> record, const IsMended& is_mended) {
  const std::uint64_t bytes = HashOfBytes(record);
  const bool same_bytes = bytes != 0 && seen.bytes == bytes;
  Contents contents, begun;  // of all its events, of as many as were added
  std::uint64_t kinds = 0;   // of as many
  for (std::size_t i = 0; i < record.size(); ++i) {
    AddTo(contents, record[i]);
    if (i < seen.events) kinds = KindsAfter(kinds, record[i]);
    if (i + 1 == seen.events) begun = contents;
  }
  const bool begins = seen.contents ? *seen.contents == begun : seen.kinds == kinds;
  const bool grown = seen.events < record.size() && begins && !same_bytes;
  const bool same = !seen.contents || *seen.contents == contents || same_bytes;
  if (!same && !grown) {
    if (const auto verdict = FindEqual(record)) return Replace(seen), *verdict;
    if (!is_mended(seen.first, seen.events, record)) return Verdict::kChanged;
  }
  if (!TakePlace(seen.number) || (has_new_ && KeepsAll())) return Verdict::kMoved;
  known_events_ = seen.events;
  if (seen.contents) last_ = {seen.first, same_bytes || seen.bytes == 0 || bytes == 0};
  return grown ? Verdict::kGrown : Verdict::kSeen;
}

// Of several records with one id, only the first one keeps it: that is another one now.
void SeenRecords::Replace(const Seen& seen) {
  if (places_[seen.number].taken) return;
  replaced_.try_emplace(seen.contents->ordered + seen.contents->late, Replaced{seen.number, seen.first, seen.bytes});
}

// A compaction names turns by their numbers, which are others in a database that has lost some of them.
bool SeenRecords::MayHideOtherTurns(std::span<const EventView> record) const {
  return format_.import.restarts != Restarts::kAnywhere && turns_ != turns_in_source_ &&
         std::ranges::any_of(record, [](const EventView& event) { return event.kind() == EventKind::kCompaction; });
}

}  // namespace turnlog
