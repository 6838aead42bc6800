// A conversation whose source has other records than the log in some place, for example because it was begun again:
// they are looked for anywhere in the log.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "migrate/compare/event_places.h"
#include "migrate/compare/mended_record.h"
#include "migrate/compare/redacted_records.h"
#include "migrate/compare/seen_records.h"
#include "migrate/import/logged_conversation.h"

namespace turnlog {

class RestartedConversation {
 public:
  explicit RestartedConversation(LoggedConversation& logged) : logged_(logged), seen_(logged.format) {}

  // What the log has instead of the event at `at` of `record`, which has what was compared before it: the first record
  // of the source that differs. `first`: that record in the log.
  struct Difference {
    const StoredEvent& stored;
    std::span<const WaitingEvent> record;
    std::size_t at = 0;
    Seq first;
  };
  // Reads what the log has from there on. False: records cannot be recognised.
  Result<bool> Read(const Difference& different);

  // The records that the log does not have, of all that the source has from the one that differs on. One that may go on
  // becomes `begun`. `complete`: none does.
  Result<std::vector<WaitingEvent>> TakeFresh(std::span<WaitingEvent> waiting, bool complete,
                                              std::vector<WaitingEvent>& begun);
  // Whether the source lacks records that doctor would not have removed.
  Result<bool> LacksOthers();
  // How many it lacks.
  std::uint64_t lacking() const { return seen_.left(); }
  // Whether it has a record that is in the log.
  bool shares() const { return shares_; }
  // Where it differs first.
  const SourceLocation& begun_again() const { return begun_again_; }
  std::unexpected<Error> RefuseDifference() { return logged_.refusal.RefuseChanged(begun_again_, replaced_); }

 private:
  Status AddStored(const StoredEvent& stored);
  Status AddBegunRecord(const Difference& different);
  Result<std::size_t> TakeSeen(std::span<const EventView> record, const SourceLocation& location);
  static Status LeaveOutIds(std::span<WaitingEvent> record);
  using AboutRecord = std::function<bool(std::span<const EventView> stored)>;
  Result<bool> AskOfRecord(Seq first, std::size_t events, const AboutRecord& ask);
  MovedResults Moved();

  LoggedConversation& logged_;
  SeenRecords seen_;
  RedactedRecords redacted_;
  SourceLocation begun_again_;
  Seq replaced_;  // what the log has there
  bool shares_ = false;
};

}  // namespace turnlog
