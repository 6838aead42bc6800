// For records whose events are in another order in the source than in the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrate/sources/source_reader.h"
#include "turnlog/event.h"

namespace turnlog {

// Answers, results and questions come while a record goes on, also before others that precede them in it.
inline bool MayComeLate(EventKind kind) {
  return kind == EventKind::kToolCallResponse || kind == EventKind::kInquiryResponse ||
         kind == EventKind::kInquiryRequest;
}
// Of these: the kind, and the id of the call or the inquiry. Nothing of others.
std::optional<std::pair<EventKind, std::string_view>> LateKeyOf(const EventView& event);

// An event of the source that is not in the log yet.
struct WaitingEvent {
  HeldEvent held;
  Seq seq;  // according to the source; 0: unknown
  SourceLocation location;
  std::unique_ptr<SourceRemarks> remarks;  // null: none

  EventView View() const { return held.event.View(); }
};

// A record whose events are put into the order that they have in the log. Ids, which count the events of a record, stay
// with their places. Memory: some 50 bytes for each event.
class RecordOrder {
 public:
  // What begins at `events[begin]`, as far as it goes.
  RecordOrder(std::span<const WaitingEvent> events, std::size_t begin);

  std::size_t end() const { return begin_ + ids_.size(); }
  // Where after `at` the event may be: what may come late passes the like, and calls; anything else only what may come
  // late. Nothing: nowhere.
  std::optional<std::size_t> Find(const EventView& stored, std::size_t at) const;
  // Moves events[from] to `to`, before what is there.
  void Move(std::span<WaitingEvent> events, std::size_t from, std::size_t to);
  bool moved() const { return moved_; }
  // Gives events[at] this id, or that of its place.
  Status SetId(std::span<WaitingEvent> events, std::size_t at, std::optional<std::string_view> id) const;

 private:
  std::size_t begin_;
  std::vector<std::string> ids_;        // of the places; empty: none
  std::vector<std::uint64_t> numbers_;  // of the events: hashes of the keys of what may come late, kinds of the others
  bool moved_ = false;
};

}  // namespace turnlog
