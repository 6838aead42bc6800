#include "migrate/import/seen_records.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "migrate/import/event_meaning.h"
#include "migrate/import/event_places.h"
#include "migrate/import/quarantine.h"
#include "migrate/records/salvage.h"
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

}  // namespace

bool BeginsRecord(const EventView& event) {
  const auto* verbatim = std::get_if<VerbatimView>(&event.body);
  const bool quarantined = verbatim != nullptr && verbatim->tag == kQuarantinedTag;
  return quarantined || event.source_text || (event.event_id && !event.event_id->contains('#'));
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

bool IsUnrecognisable(const EventView& event) { return !event.event_id && ToJson(event).contains("[redacted]"); }

void SeenRecords::Add(const EventView& event, bool known, Seq seq) {
  const auto id = RecordIdIn(event);
  if (BeginsRecord(event)) {
    EndRecord();
  } else if (id && id != id_ && (id_ || by_id_.contains(HashId(*id, 0)))) {
    GoOn(*id);
  }
  if (!id_) id_ = id;
  if (!in_record_) first_ = seq;
  in_record_ = true;
  ++events_;
  known_ &= known;
  AddTo(contents_, event);
  kinds_ = KindsAfter(kinds_, event);
  writer_.Add(event, bytes_);
  turns_ += TurnsIn({&event, 1});
  if (const auto* result = std::get_if<ToolCallResponseView>(&event.body)) answered_.insert(HashId(result->id, 0));
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
  id_ = id;
  in_record_ = true;
  known_ = seen.contents.has_value();
  contents_ = seen.contents.value_or(Contents());
  kinds_ = seen.kinds;
  begun_bytes_ = seen.bytes;
  first_ = seen.first;
  events_ = seen.events;
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
  const std::uint64_t bytes = bytes_.empty() ? begun_bytes_ : HashOfBytes(bytes_);
  const Seen seen{known_ ? std::optional(contents_) : std::nullopt, bytes, kinds_, first_, events_};
  if (id_) {
    left_ += by_id_.insert_or_assign(HashId(*id_, 0), seen).second ? 1 : 0;
  } else if (in_record_) {
    recognisable_ &= known_;
    Counted& counted = count_[contents_.ordered + contents_.late];
    ++counted.left;
    ++counted.added;
    counted.seen = seen;
    ++left_;
  }
  id_.reset();
  events_ = 0;
  contents_ = {};
  kinds_ = begun_bytes_ = 0;
  bytes_.clear();
  known_ = true;
  in_record_ = false;
}

SeenRecords::Verdict SeenRecords::Take(std::span<const EventView> record) {
  const Verdict verdict = Find(record);
  if (verdict == Verdict::kNew && MayHideOtherTurns(record)) return Verdict::kNamesOtherTurns;
  turns_in_source_ += TurnsIn(record);
  if (verdict == Verdict::kNew) turns_ += TurnsIn(record);
  return verdict;
}

SeenRecords::Verdict SeenRecords::Find(std::span<const EventView> record) {
  last_.reset();
  std::optional<std::string> id;
  for (std::size_t i = 0; i < record.size() && !id; ++i) id = RecordIdIn(record[i]);
  if (id) {
    const auto found = by_id_.find(HashId(*id, 0));
    return found == by_id_.end() ? Verdict::kNew : FindById(found->second, record);
  }
  Contents contents;
  for (const EventView& event : record) AddTo(contents, event);
  const auto found = count_.find(contents.ordered + contents.late);
  if (found == count_.end() || found->second.left == 0) {
    has_new_ = has_new_ || !IsMissingResult(record);
    return Verdict::kNew;
  }
  const Counted& counted = found->second;
  --found->second.left;
  --left_;
  const std::uint64_t bytes = HashOfBytes(record);
  if (counted.added == 1 && counted.seen.bytes != 0 && bytes != 0) {
    last_ = {counted.seen.first, counted.seen.bytes == bytes};
  }
  return has_new_ && !format_.import.moves_records ? Verdict::kMoved : Verdict::kSeen;
}

bool SeenRecords::IsMissingResult(std::span<const EventView> record) const {
  return std::ranges::all_of(record, [&](const EventView& event) {
    const auto* result = std::get_if<ToolCallResponseView>(&event.body);
    return result != nullptr && !answered_.contains(HashId(result->id, 0));
  });
}

SeenRecords::Verdict SeenRecords::FindById(Seen& seen, std::span<const EventView> record) {
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
  if (!same && !grown) return Verdict::kChanged;
  if (!std::exchange(seen.taken, true)) --left_;
  known_events_ = seen.events;
  if (seen.contents) last_ = {seen.first, same_bytes || seen.bytes == 0 || bytes == 0};
  return grown ? Verdict::kGrown : Verdict::kSeen;
}

// A compaction names turns by their numbers, which are others in a database that has lost some of them.
bool SeenRecords::MayHideOtherTurns(std::span<const EventView> record) const {
  return format_.import.restarts != Restarts::kAnywhere && turns_ != turns_in_source_ &&
         std::ranges::any_of(record, [](const EventView& event) { return event.kind() == EventKind::kCompaction; });
}

}  // namespace turnlog
