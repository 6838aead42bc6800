#include "migrate/import/seen_records.h"

#include <algorithm>
#include <utility>

#include "migrate/import/event_meaning.h"
#include "migrate/import/quarantine.h"

namespace turnlog {

namespace {

std::uint64_t TurnsIn(std::span<const EventView> events) {
  return static_cast<std::uint64_t>(
      std::ranges::count(events, EventKind::kTurnStart, [](const EventView& event) { return event.kind(); }));
}

// The first event of a record has none if it is a compaction.
std::optional<std::string> RecordIdIn(const EventView& event) {
  if (!event.event_id) return std::nullopt;
  return std::string(event.event_id->substr(0, event.event_id->find('#')));
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

void SeenRecords::Add(const EventView& event, bool known) {
  if (BeginsRecord(event)) EndRecord();
  if (!id_) id_ = RecordIdIn(event);
  in_record_ = true;
  known_ &= known;
  hash_ = HashAfter(hash_, event);
  writer_.Add(event, bytes_);
  turns_ += TurnsIn({&event, 1});
}

// Chained: `before` is the hash of the events before it.
std::uint64_t SeenRecords::HashAfter(std::uint64_t before, const EventView& event) const {
  return Hash64(MeaningOf(event, format_), before);
}

bool SeenRecords::Finish() {
  EndRecord();
  return recognisable_;
}

void SeenRecords::EndRecord() {
  if (id_) {
    by_id_[HashId(*id_, 0)] = {known_ ? std::optional(hash_) : std::nullopt, HashOfBytes(bytes_)};
  } else if (in_record_) {
    recognisable_ &= known_;
    ++count_[hash_];
  }
  id_.reset();
  hash_ = 0;
  bytes_.clear();
  known_ = true;
  in_record_ = false;
}

SeenRecords::Verdict SeenRecords::Take(std::span<const EventView> record) {
  const Verdict verdict = Find(record);
  if (verdict == Verdict::kNew && MayHideOtherTurns(record)) return Verdict::kChanged;
  turns_in_source_ += TurnsIn(record);
  if (verdict == Verdict::kNew) turns_ += TurnsIn(record);
  return verdict;
}

SeenRecords::Verdict SeenRecords::Find(std::span<const EventView> record) {
  std::uint64_t hash = 0;
  for (const EventView& event : record) hash = HashAfter(hash, event);
  std::optional<std::string> id;
  for (std::size_t i = 0; i < record.size() && !id; ++i) id = RecordIdIn(record[i]);
  if (id) {
    const auto found = by_id_.find(HashId(*id, 0));
    if (found == by_id_.end()) return Verdict::kNew;
    const auto& [contents, bytes] = found->second;
    const bool same = !contents || *contents == hash || (bytes != 0 && bytes == HashOfBytes(record));
    return same ? Verdict::kSeen : Verdict::kChanged;
  }
  const auto found = count_.find(hash);
  if (found == count_.end() || found->second == 0) {
    has_new_ = true;
    return Verdict::kNew;
  }
  --found->second;
  return has_new_ && !format_.import.moves_records ? Verdict::kChanged : Verdict::kSeen;
}

// A compaction names turns by their numbers, which are others in a database that has lost some of them.
bool SeenRecords::MayHideOtherTurns(std::span<const EventView> record) const {
  return format_.import.restarts != Restarts::kAnywhere && turns_ != turns_in_source_ &&
         std::ranges::any_of(record, [](const EventView& event) { return event.kind() == EventKind::kCompaction; });
}

}  // namespace turnlog
