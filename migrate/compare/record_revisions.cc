#include "migrate/compare/record_revisions.h"

#include "base/try.h"
#include "migrate/compare/seen_records.h"
#include "migrate/records/record_revision.h"

namespace turnlog {
namespace {

constexpr std::size_t kMaxChangedBytes = std::size_t{64} << 20;

}  // namespace

Status RecordRevisions::Compare(const StoredEvent& stored, const EventView& event) {
  if (BeginsRecord(event)) {
    TURNLOG_TRY(EndRecord());
    const auto known = OriginalText(stored.event), original = OriginalText(event);
    in_record_ = (event.source_text && stored.event.source_text) || (known && original);
    same_template_ = event.source_text == stored.event.source_text && known == original;
    intact_ = !known_.IsRedacted(stored.seq);
    first_ = stored.seq;
  }
  if (!in_record_) return {};
  intact_ &= !stored.erased && !stored.redacted;
  before_.Add(stored.event, bytes_before_);
  AddNow(event);
  return {};
}

Status RecordRevisions::AddNew(const EventView& event) {
  if (BeginsRecord(event)) TURNLOG_TRY(EndRecord());
  if (!in_record_) return {};
  intact_ &= !same_template_;  // an import that was interrupted left it out
  AddNow(event);
  return {};
}

// A template takes the events in the order of the source.
void RecordRevisions::ReadAhead(const EventView& event) {
  if (!in_record_) return;
  now_.Add(event, bytes_now_);
  ++ahead_;
}

void RecordRevisions::AddNow(const EventView& event) {
  if (ahead_ > 0) return void(--ahead_);
  now_.Add(event, bytes_now_);
}

// Compares bytes: another version of the reader may have made another template of them.
Status RecordRevisions::EndRecord() {
  if (!std::exchange(in_record_, false)) return {};
  ahead_ = 0;
  std::string before = std::exchange(bytes_before_, {}), now = std::exchange(bytes_now_, {});
  if (known_.Has(first_)) TURNLOG_TRY(known_.Add(first_, before = {}));
  if (intact_) AddChanged(first_, std::move(before), std::move(now));
  return {};
}

void RecordRevisions::AddChanged(Seq first, std::string before, std::string now) {
  if (WithoutSeparators(before) == WithoutSeparators(now)) return;
  changed_bytes_ += before.size() + now.size();
  more_ |= changed_bytes_ > kMaxChangedBytes;
  if (!more_) changed_.push_back({first, std::move(before), std::move(now)});
}

Status RecordRevisions::Leave(bool ended) {
  if (ended) return EndRecord();
  if (std::exchange(ahead_, 0) > 0) left_ = first_, left_bytes_ = std::move(bytes_now_);
  in_record_ = false;
  bytes_before_.clear();
  bytes_now_.clear();
  return {};
}

Status RecordRevisions::CompareSeen(Seq first, bool same_bytes, std::span<const EventView> record) {
  if (known_.Has(first) ? known_.IsRedacted(first) : same_bytes) return {};
  std::string before, now;
  TURNLOG_TRY(known_.Read(first, before));
  if (first == left_) {
    now = std::exchange(left_bytes_, {});
  } else {
    RecordWriter writer;
    for (const EventView& event : record) writer.Add(event, now);
  }
  AddChanged(first, std::move(before), std::move(now));
  return {};
}

Result<std::vector<Event>> RecordRevisions::Take(std::string_view format, const Remove& remove) {
  TURNLOG_TRY(EndRecord());
  std::vector<Event> revisions;
  const auto make = [&](std::string_view bytes, Seq first) -> Result<Event> {
    Event revision = MakeRevision(format, bytes, first);
    auto without = TURNLOG_TRY(remove(View(revision)));
    return without ? *std::move(without) : std::move(revision);
  };
  for (const auto& [first, before, now] : std::exchange(changed_, {})) {
    Event revision = TURNLOG_TRY(make(now, first));
    const Event known = TURNLOG_TRY(make(before, first));
    if (revision == known) continue;  // but for what is redacted
    if (Validate(revision)) {
      revisions.push_back(std::move(revision));
    } else {
      more_ = true;  // too large for an event
    }
  }
  return revisions;
}

}  // namespace turnlog
