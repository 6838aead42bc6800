// Finds the records of a source that have changed where no event shows it, while the source is compared with the log.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrate/logged/stored_events.h"
#include "migrate/records/record_writer.h"
#include "migrate/records/revised_records.h"
#include "turnlog/event.h"

namespace turnlog {

// Memory: the bytes of the records that have changed, up to 64 MiB: the next import finds the others.
class RecordRevisions {
 public:
  // `known`: what the log has.
  explicit RecordRevisions(RevisedRecords known) : known_(std::move(known)) {}

  // What the log has.
  const RevisedRecords& known() const { return known_; }

  // The next event of the source, in the record that is being compared, where its events are in another order than in
  // the log. All of them are read ahead, once.
  void ReadAhead(const EventView& event);
  // An event of the source that equals `stored`, the next one of the log.
  Status Compare(const StoredEvent& stored, const EventView& event);
  // An event of the source that the log does not have.
  Status AddNew(const EventView& event);

  // What follows is compared by CompareSeen. `ended`: the log and the source have all of the record that was compared.
  Status Leave(bool ended);
  // A record of the source, with its first event in the log. `same_bytes`: as it was imported first.
  Status CompareSeen(Seq first, bool same_bytes, std::span<const EventView> record);

  // Whether some record has changed, as far as it was compared.
  bool any() const { return !changed_.empty() || bytes_before_ != bytes_now_; }
  // There are further ones than Take returns.
  bool more() const { return more_; }

  // Takes out of an event what is redacted; nothing: it has none of it.
  using Remove = std::function<Result<std::optional<Event>>(const EventView&)>;
  // The revisions that the log does not have, after the last event of the source.
  Result<std::vector<Event>> Take(std::string_view format, const Remove& remove);

 private:
  void AddNow(const EventView& event);
  Status EndRecord();
  void AddChanged(Seq first, std::string before, std::string now);

  struct Changed {
    Seq first;
    std::string before, now;
  };

  RevisedRecords known_;
  std::vector<Changed> changed_;
  std::size_t changed_bytes_ = 0;
  bool more_ = false;

  // The record that is being compared.
  bool in_record_ = false, intact_ = false;  // intact: the log has what was imported
  bool same_template_ = false;
  Seq first_;
  std::size_t ahead_ = 0;  // events of the source that were read ahead
  RecordWriter before_, now_;
  std::string bytes_before_, bytes_now_;
  // The record that was left, if its events are in another order in the log.
  Seq left_;
  std::string left_bytes_;  // of the source
};

}  // namespace turnlog
