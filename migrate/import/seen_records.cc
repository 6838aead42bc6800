#include "migrate/import/seen_records.h"

#include "migrate/import/event_meaning.h"
#include "migrate/import/quarantine.h"

namespace turnlog {

bool BeginsRecord(const EventView& event) {
  const auto* verbatim = std::get_if<VerbatimView>(&event.body);
  const bool quarantined = verbatim != nullptr && verbatim->tag == kQuarantinedTag;
  return quarantined || event.source_text || (event.event_id && !event.event_id->contains('#'));
}

void SeenRecords::Add(const EventView& event, bool known) {
  if (BeginsRecord(event)) EndRecord();
  if (!in_record_ && event.event_id) id_ = *event.event_id;
  in_record_ = true;
  known_ &= known;
  hash_ = HashAfter(hash_, event);
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
    by_id_[HashId(*id_, 0)] = known_ ? std::optional(hash_) : std::nullopt;
  } else if (in_record_) {
    recognisable_ &= known_;
    ++count_[hash_];
  }
  id_.reset();
  hash_ = 0;
  known_ = true;
  in_record_ = false;
}

SeenRecords::Verdict SeenRecords::Take(std::span<const EventView> record) {
  std::uint64_t hash = 0;
  for (const EventView& event : record) hash = HashAfter(hash, event);
  if (record.front().event_id) {
    const auto found = by_id_.find(HashId(*record.front().event_id, 0));
    if (found == by_id_.end()) return Verdict::kNew;
    return !found->second || *found->second == hash ? Verdict::kSeen : Verdict::kChanged;
  }
  const auto found = count_.find(hash);
  if (found == count_.end() || found->second == 0) {
    has_new_ = true;
    return Verdict::kNew;
  }
  --found->second;
  return has_new_ && !format_.import.moves_records ? Verdict::kChanged : Verdict::kSeen;
}

}  // namespace turnlog
