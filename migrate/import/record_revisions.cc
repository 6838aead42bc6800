#include "migrate/import/record_revisions.h"

#include <utility>

#include "base/hash.h"
#include "base/try.h"
#include "migrate/import/seen_records.h"
#include "migrate/records/record_revision.h"

namespace turnlog {
namespace {

constexpr std::size_t kMaxChangedBytes = std::size_t{64} << 20;

// Of the record's bytes.
std::uint64_t HashOf(const EventView& revision) {
  std::string bytes;
  RecordWriter().Add(revision, bytes);
  return Hash64(bytes);
}

}  // namespace

void RecordRevisions::Compare(const StoredEvent& stored, const EventView& event) {
  if (BeginsRecord(event)) {
    EndRecord();
    in_record_ = event.source_text && stored.event.source_text && *event.source_text != *stored.event.source_text;
    intact_ = true;
    first_ = stored.seq;
  }
  if (!in_record_) return;
  intact_ &= !stored.erased && !stored.redacted;
  before_.Add(stored.event, bytes_before_);
  now_.Add(event, bytes_now_);
}

void RecordRevisions::AddNew(const EventView& event) {
  if (BeginsRecord(event)) EndRecord();
  if (in_record_) now_.Add(event, bytes_now_);
}

void RecordRevisions::AddStored(const EventView& revision) {
  const auto first = ReadRevision(revision);
  if (first) stored_hashes_[first->value] = HashOf(revision);
}

// Another version of the reader may have made another template of the same bytes.
void RecordRevisions::EndRecord() {
  if (in_record_ && intact_ && bytes_before_ != bytes_now_) {
    more_ |= changed_bytes_ + bytes_now_.size() > kMaxChangedBytes;
    if (!more_) {
      changed_bytes_ += bytes_now_.size();
      changed_.emplace(first_.value, Changed{std::move(bytes_now_), Hash64(bytes_before_)});
    }
  }
  in_record_ = false;
  bytes_before_.clear();
  bytes_now_.clear();
}

void RecordRevisions::Drop() {
  in_record_ = false;
  bytes_before_.clear();
  bytes_now_.clear();
  changed_.clear();
}

Result<std::vector<Event>> RecordRevisions::Take(std::string_view format, const Remove& remove) {
  EndRecord();
  std::vector<Event> revisions;
  for (const auto& [first, changed] : std::exchange(changed_, {})) {
    Event revision = MakeRevision(format, changed.bytes, Seq{first});
    if (auto without = TURNLOG_TRY(remove(View(revision)))) revision = *std::move(without);
    const auto stored = stored_hashes_.find(first);
    const std::uint64_t known = stored == stored_hashes_.end() ? changed.hash_before : stored->second;
    if (HashOf(View(revision)) == known) continue;
    if (Validate(revision)) {
      revisions.push_back(std::move(revision));
    } else {
      more_ = true;  // too large for an event
    }
  }
  return revisions;
}

}  // namespace turnlog
