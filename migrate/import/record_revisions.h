// Finds the records of a source that have changed where no event shows it, while the source is compared with the log.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/import/stored_events.h"
#include "migrate/records/record_writer.h"
#include "turnlog/event.h"

namespace turnlog {

// Memory: the bytes of the records that have changed, up to a limit, and 60 bytes for each revision in the log.
class RecordRevisions {
 public:
  // An event of the source that equals the next one of the log.
  void Compare(const StoredEvent& stored, const EventView& event);
  // An event of the source that the log does not have.
  void AddNew(const EventView& event);
  // A revision that the log has; it comes after its record.
  void AddStored(const EventView& revision);
  // The source cannot be compared event by event.
  void Drop();

  bool any() const { return !changed_.empty() || in_record_; }
  // Takes out of an event what was redacted in the log; nothing: it has none of it.
  using Remove = std::function<Result<std::optional<Event>>(const EventView&)>;
  // The revisions that the log does not have, after the last event of the source.
  Result<std::vector<Event>> Take(std::string_view format, const Remove& remove);
  // There are further ones, which the next import finds.
  bool more() const { return more_; }

 private:
  void EndRecord();

  struct Changed {
    std::string bytes;            // now
    std::uint64_t hash_before{};  // of what the log has
  };

  std::map<std::uint64_t, Changed> changed_;              // by seq
  std::map<std::uint64_t, std::uint64_t> stored_hashes_;  // likewise: of the last revisions in the log
  std::size_t changed_bytes_ = 0;
  bool more_ = false;

  // The record that is being compared, if its template has changed.
  bool in_record_ = false, intact_ = false;  // intact: the log has what was imported
  Seq first_;
  RecordWriter before_, now_;
  std::string bytes_before_, bytes_now_;
};

}  // namespace turnlog
