// The records that a conversation has of a source, whatever their order: for sources whose tool began their files
// again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "migrate/format.h"
#include "migrate/records/record_writer.h"
#include "turnlog/event.h"

namespace turnlog {

// Whether the event is the first one of a record.
bool BeginsRecord(const EventView& event);

// The bytes of a record whose text is not valid, which precede its events. Nothing: the event is another one, or they
// are no text.
std::optional<std::string> OriginalText(const EventView& event);

// The id of the record that the event belongs to; nothing: it has none.
std::optional<std::string> RecordIdIn(const EventView& event);

// Whether only its contents could show what event of a source it is, and something of them was redacted.
bool IsUnrecognisable(const EventView& event);

// Memory: about 110 bytes for each record, and 80 for each result of a call.
class SeenRecords {
 public:
  // `format`: of the source; must outlive this.
  explicit SeenRecords(const Format& format) : format_(format) {}

  enum class Verdict : std::uint8_t {
    kSeen,
    kGrown,  // seen, with further events after those that were added
    kNew,
    kChanged,          // the source has something else under the id of a seen record
    kMoved,            // it is a seen record, but follows one that is new and in the place of another one
    kNamesOtherTurns,  // it is new, and the turns that it names have other numbers in the conversation
  };

  // Of the conversation, in order. `known`: its contents are those of the source; not if it was redacted. `seq`: in the
  // log, or that of the first event of its record.
  void Add(const EventView& event, bool known, Seq seq);
  // After the last one. False if a record cannot be recognised: it has no id, and its contents were redacted.
  bool Finish();

  // After that, if records have changed since they came in. `hash`: of the bytes that the one has now, 0 if it has not
  // changed.
  void Revise(const std::function<std::uint64_t(Seq first)>& hash);

  // Whether the record of the log that begins with this event, and has so many, is this one of the source, which
  // `logctl doctor` has changed.
  using IsMended = std::function<bool(Seq first, std::size_t events, std::span<const EventView> record)>;

  // The events of one record of the source, in order. Records without ids are recognised by their contents, once each;
  // if the format keeps them in order, one that is new before one that was seen is in the place of another one, unless
  // it is the result of a call that had none, which turnlog itself puts where it belongs (doctor, sessions). One
  // with an id and the bytes of the seen one is that, whatever it means now: a message is where the oldest record has
  // it, and that changes when older ones are removed.
  Verdict Take(std::span<const EventView> record, const IsMended& is_mended);
  struct Found {
    Seq first;  // in the log
    bool same_bytes = false;
  };
  // After kNew: the log has another record with its id.
  bool id_is_taken() const { return id_is_taken_; }
  // The seen record that was taken last. Nothing: it was none, or it is not known which one, or what it says now may
  // not be stored.
  const std::optional<Found>& last() const { return last_; }
  // After kGrown: how many of its events were added.
  std::size_t known_events() const { return known_events_; }
  // Whether a record that was not taken has this result.
  bool MayMove(const EventView& result);
  // Whether that was asked before.
  bool HasMoved(const EventView& result) const;
  // How many records were added and not taken.
  std::uint64_t left() const { return left_; }
  // Whether one of them is not like this.
  bool HasLeft(const std::function<bool(Seq first, std::size_t events)>& other_than) const;

 private:
  // Hashes of what the events of a record mean, whatever their ids, which are those of their places. What may come late
  // has no order: the log has that in which it came.
  struct Contents {
    std::uint64_t ordered = 0, late = 0;
    bool operator==(const Contents&) const = default;
  };
  struct Seen {
    std::optional<Contents> contents;  // if known
    std::uint64_t bytes = 0;           // of its source; 0: none
    std::uint64_t kinds = 0;           // of its events, in order
    Seq first;
    std::size_t events = 0;
    std::size_t number = 0;  // among all records
  };
  // Without an id.
  struct Counted {
    std::uint64_t added = 0;
    std::size_t next = 0, last = 0;  // the numbers of those that were not taken; 0: none
    Seen seen;                       // the last one
  };
  // A record, in the order of the log.
  struct Place {
    Seq first;
    std::size_t next = 0;  // with the same contents
    std::uint32_t events = 0;
    bool has_id = false, comes_late = false, taken = false;
  };

  // That is being added.
  struct Current {
    std::optional<std::string> id{};
    Seq first{};
    std::size_t events = 0;
    Contents contents{};
    std::uint64_t kinds = 0;
    std::uint64_t said = 0;
    std::uint64_t begun_bytes = 0;  // if it goes on: of its source when it began
    bool known = true, in_record = false, comes_late = true;
  };

  // With an id that another record has now.
  struct Replaced {
    std::size_t number = 0;
    Seq first;
    std::uint64_t bytes = 0;
  };

  Verdict Find(std::span<const EventView> record, const IsMended& is_mended);
  Verdict FindByContents(std::span<const EventView> record, const IsMended& is_mended);
  std::optional<Verdict> FindEqual(std::span<const EventView> record);
  Verdict TakeKnown(std::size_t number);
  void Replace(const Seen& seen);
  std::optional<Verdict> FindShifted(std::span<const EventView> record);
  Verdict FindNumbered(const Hash128& id, std::span<const EventView> record, const IsMended& is_mended);
  bool FindMended(std::span<const EventView> record, const IsMended& is_mended);
  bool TakePlace(std::size_t number);
  std::size_t AddPlace();
  // Whether sources only grow: their records stay in order.
  bool KeepsAll() const { return !format_.import.may_shrink; }
  bool IsMissingResult(std::span<const EventView> record) const;
  bool IsMovedResult(std::span<const EventView> record);
  void AddTo(Contents& contents, EventView event) const;
  Verdict FindById(Seen& seen, std::span<const EventView> record, const IsMended& is_mended);
  bool MayHideOtherTurns(std::span<const EventView> record) const;
  void GoOn(const std::string& id);
  void EndRecord();

  std::unordered_map<Hash128, Seen> by_id_;               // hashes
  std::unordered_map<std::uint64_t, Counted> count_;      // without ids, by the hashes of their contents
  std::unordered_map<std::uint64_t, Replaced> replaced_;  // the same; their ids are those of others now
  std::unordered_multimap<std::uint64_t, std::size_t>
      by_said_;                                             // if ids are numbers: places by hashes of what is there
  std::vector<Place> places_{1};                            // of all records, from number 1 on
  std::size_t next_place_ = 1;                              // after the one that was taken last, unless that comes late
  std::unordered_set<Hash128> answered_;                    // calls with results, hashes
  std::unordered_map<std::uint64_t, std::size_t> results_;  // where they are, by hashes of what they say
  std::unordered_set<std::uint64_t> moved_;                 // of these
  const Format& format_;
  bool recognisable_ = true;
  bool has_new_ = false;  // without an id, or also with one if they keep their order
  std::optional<Found> last_;
  bool is_shifted_ = false;  // records have other numbers than in the log
  bool id_is_taken_ = false;
  std::size_t known_events_ = 0;
  std::uint64_t left_ = 0;  // records that were added and not taken
  std::uint64_t turns_ = 0,
                turns_in_source_ = 0;  // that were begun, by what was added or is new, and by all that was taken

  RecordWriter writer_;
  std::string bytes_;  // of the record that is being added
  Current current_;
};

}  // namespace turnlog
