// Compares the events that a source has of a conversation with those that were imported into the log, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "migrate/compare/event_places.h"
#include "migrate/import/logged_conversation.h"
#include "migrate/logged/stored_events.h"

namespace turnlog {

class ComparedConversation {
 public:
  explicit ComparedConversation(LoggedConversation& logged) : logged_(logged) {}

  enum class End : std::uint8_t {
    kOfLog,      // the log has none of what follows in the source, as far as it was compared
    kOfSource,   // the log has `stored`, and the source has no more
    kDifferent,  // the log has `stored`, and the source something else
  };
  struct Outcome {
    End end = End::kOfLog;
    std::size_t at = 0;                      // what follows in the source
    std::optional<StoredEvent> stored = {};  // until the next one is read
  };
  // `waiting`: what follows what was compared before, in whole records, unless the log was read to its end. `complete`:
  // the source has no more. What is the same gets the order that it has in the log.
  Result<Outcome> Compare(std::span<WaitingEvent> waiting, bool complete);

  // What is new names turns by their numbers in the log. False: it is not clear which.
  Result<bool> RenumberTurns(std::span<WaitingEvent> fresh) const;

  // The log has all that was compared as it is in the source.
  bool exact() const { return exact_; }
  // Of the record that was compared last, in the log, and whether something of it was redacted there.
  Seq record_first() const { return record_first_; }
  bool record_redacted() const { return record_redacted_; }

 private:
  enum class Step : std::uint8_t { kGoesOn, kSourceEnds, kDiffers };
  Result<Step> CompareNext(const StoredEvent& stored, std::size_t& at);
  Result<bool> IsEqual(const StoredEvent& stored, std::size_t at);
  Result<Step> TakeDifferent(const StoredEvent& stored, std::size_t& at);
  std::unexpected<Error> RefuseNumbered(const WaitingEvent& waiting, const StoredEvent& own);
  // Records whose text is not valid (compared_conversation.cc).
  Status JoinOriginal(const StoredEvent& stored, std::size_t& at);
  Result<bool> HasOtherOriginal(const StoredEvent& stored, std::size_t at);
  // Records that were read otherwise (same_bytes.cc).
  struct RecordBytes {
    std::string bytes;
    int turns = 0;  // that begin in it
    Seq last;
  };
  Result<std::optional<RecordBytes>> BytesInLog();
  Result<bool> PassRecord(const StoredEvent& stored, std::size_t& at);
  Result<bool> PassRest(const StoredEvent& stored, std::size_t& at);
  Result<bool> PassSameBytes(std::size_t& at);
  Result<bool> PassBegunOtherwise(const StoredEvent& stored, std::size_t& at);
  bool PassTurnStart(const StoredEvent& stored, std::size_t at);
  // Records in another order (event_order.cc).
  Status MoveToPlace(const StoredEvent& stored, std::size_t at);
  Result<bool> IsTheSame(const StoredEvent& stored, const WaitingEvent& waiting);
  Status FinishOrder(std::size_t from);
  Result<bool> IsForgotten(const StoredEvent& erased, std::size_t at);

  LoggedConversation& logged_;
  std::span<WaitingEvent> waiting_;
  bool complete_ = false;             // the source has no more
  std::optional<RecordOrder> order_;  // of the record that is being compared, if that is another one in the log
  Seq record_first_;
  bool record_redacted_ = false;
  Seq passed_;            // what the log has up to here is not compared
  int turns_passed_ = 0;  // that begin there in the source, and not in the log
  bool exact_ = true;
};

}  // namespace turnlog
