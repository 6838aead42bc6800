#include "migrate/records/revised_records.h"

#include <vector>

#include "base/hash.h"
#include "base/try.h"
#include "migrate/logged/imported_events.h"
#include "migrate/logged/stored_events.h"
#include "migrate/records/record_revision.h"
#include "migrate/records/record_writer.h"

namespace turnlog {
namespace {

std::uint64_t HashOfRevision(const EventView& revision) {
  std::string bytes;
  RecordWriter().Add(revision, bytes);
  return Hash64(WithoutSeparators(bytes));
}

}  // namespace

Result<RevisedRecords> RevisedRecords::Find(Log& log, const ConversationId& conversation, std::uint64_t count) {
  RevisedRecords revised(log, conversation);
  if (count == 0) return revised;
  StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(log, conversation));
  EventOrigins origins;
  std::vector<Damage> damage;
  while (const auto event = TURNLOG_TRY(stored.NextIntact(damage))) {
    const auto first = origins.Next(*event) == EventOrigin::kImported ? ReadRevision(event->event) : std::nullopt;
    if (!first) continue;
    const auto row = ReadRowName(event->event);
    Last& last = row ? revised.rows_[*row] : revised.last_[first->value];
    const std::uint64_t hash = row ? HashOfRow(event->event) : HashOfRevision(event->event);
    last = {event->seq, last.redacted || event->redacted, hash};
  }
  return revised;
}

std::uint64_t RevisedRecords::HashOfRow(const EventView& row) {
  std::string bytes;
  RecordWriter().Add(row, bytes);
  return Hash64(bytes);
}

std::uint64_t RevisedRecords::HashOf(Seq first) const {
  const auto found = last_.find(first.value);
  return found == last_.end() || found->second.redacted ? 0 : found->second.hash;
}

const RevisedRecords::Last* RevisedRecords::FindRow(const std::string& name) const {
  const auto found = rows_.find(name);
  return found == rows_.end() ? nullptr : &found->second;
}

Status RevisedRecords::AddRows(std::string& out, const std::function<Status()>& sink) const {
  for (const auto& [name, row] : rows_) {
    TURNLOG_TRY(AddAt(row.seq, out));
    TURNLOG_TRY(sink());
  }
  return {};
}

Status RevisedRecords::Add(Seq first, std::string& out) const { return AddAt(last_.at(first.value).seq, out); }

Status RevisedRecords::Read(Seq first, std::string& out) const {
  return Has(first) ? Add(first, out) : AddAt(first, out);
}

// A record has one or more events.
Status RevisedRecords::AddAt(Seq seq, std::string& out) const {
  StoredEvents stored = TURNLOG_TRY(StoredEvents::Open(*log_, conversation_, seq));
  RecordWriter writer;
  do {
    const auto event = TURNLOG_TRY(stored.Next());
    if (!event) break;
    writer.Add(event->event, out);
  } while (writer.in_record());
  return {};
}

}  // namespace turnlog
