#include "migrate/import/record_revisions.h"

#include "base/hash.h"
#include "base/try.h"
#include "migrate/import/seen_records.h"
#include "migrate/records/record_revision.h"

namespace turnlog {
namespace {

constexpr std::size_t kMaxChangedBytes = std::size_t{64} << 20;

}  // namespace

Status RecordRevisions::Compare(const StoredEvent& stored, const EventView& event) {
  if (BeginsRecord(event)) {
    TURNLOG_TRY(EndRecord());
    in_record_ = event.source_text && stored.event.source_text;
    intact_ = !known_.IsRedacted(stored.seq);
    first_ = stored.seq;
  }
  if (!in_record_) return {};
  intact_ &= !stored.erased && !stored.redacted;
  before_.Add(stored.event, bytes_before_);
  now_.Add(event, bytes_now_);
  return {};
}

Status RecordRevisions::AddNew(const EventView& event) {
  if (BeginsRecord(event)) TURNLOG_TRY(EndRecord());
  if (in_record_) now_.Add(event, bytes_now_);
  return {};
}

// Compares bytes: another version of the reader may have made another template of them.
Status RecordRevisions::EndRecord() {
  if (!std::exchange(in_record_, false)) return {};
  std::string before = std::exchange(bytes_before_, {}), now = std::exchange(bytes_now_, {});
  if (known_.Has(first_)) TURNLOG_TRY(known_.Add(first_, before = {}));
  if (!intact_ || before == now) return {};
  more_ |= changed_bytes_ + now.size() > kMaxChangedBytes;
  if (more_) return {};
  changed_bytes_ += now.size();
  changed_.push_back({first_, std::move(now), Hash64(before)});
  return {};
}

Result<std::vector<Event>> RecordRevisions::Take(std::string_view format, const Remove& remove) {
  TURNLOG_TRY(EndRecord());
  std::vector<Event> revisions;
  for (const auto& [first, bytes, known_hash] : std::exchange(changed_, {})) {
    Event revision = MakeRevision(format, bytes, first);
    if (auto without = TURNLOG_TRY(remove(View(revision)))) revision = *std::move(without);
    std::string now;
    RecordWriter().Add(View(revision), now);
    if (Hash64(now) == known_hash) continue;  // but for what was redacted
    if (Validate(revision)) {
      revisions.push_back(std::move(revision));
    } else {
      more_ = true;  // too large for an event
    }
  }
  return revisions;
}

}  // namespace turnlog
