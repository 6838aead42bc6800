#include "migrate/compare/redacted_records.h"

#include "migrate/compare/seen_records.h"

namespace turnlog {

std::optional<RedactedRecords::Place> RedactedRecords::Counter::Next(const EventView& event) {
  auto record = RecordIdIn(event);
  if (!record) return std::nullopt;
  if (*record != record_) {
    record_ = *record;
    numbers_.clear();
  }
  return Place{*std::move(record), event.kind(), numbers_[event.kind()]++};
}

void RedactedRecords::Add(const EventView& stored, bool redacted) {
  auto place = in_log_.Next(stored);
  if (place && redacted) redacted_.insert_or_assign(*std::move(place), HeldEvent::Encode(stored));
}

void RedactedRecords::Teach(const EventView& event, RedactedValues& values) {
  if (redacted_.empty()) return;
  const auto place = in_source_.Next(event);
  const auto found = place ? redacted_.find(*place) : redacted_.end();
  if (found != redacted_.end()) values.Learn(found->second.event.View(), event);
}

}  // namespace turnlog
