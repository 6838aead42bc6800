// What all event streams send, read and written as text once for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

// A part of an event stream, as it is sent.
struct FeedEntry {
  std::string conversation;
  Seq seq;                           // 0: it is no event
  std::optional<Position> position;  // after it; none: a state, which has none
  std::string text;
};

// The end of the log, for those who have read up to there by themselves. Entries are numbered; the last ones are kept.
// Threads: all members may be called from any thread at once.
class EventFeed {
 public:
  explicit EventFeed(Log& log) : log_(log) {}

  // While there is one, the feed reads what is appended.
  class User {
   public:
    User() = default;
    // The number of the next entry: what was appended before is not in it.
    Result<std::uint64_t> Join(EventFeed& feed);
    User(const User&) = delete;
    User& operator=(const User&) = delete;
    ~User() { Leave(); }
    void Leave();

   private:
    EventFeed* feed_ = nullptr;
  };

  // Reads what has been appended. After an error it has no entries, so that all read the log by themselves and meet the
  // error there; the next call tries again.
  Status Advance();
  // The same, at most some hundred events. Returns whether there may be more.
  Result<bool> AdvanceSome();
  // Forgets all entries: contents that they have were redacted or erased.
  void Forget();
  // Those with this number and higher ones, at most about `most` bytes; none if there are no more. Nothing: some have
  // been forgotten.
  std::optional<std::vector<std::shared_ptr<const FeedEntry>>> After(std::uint64_t number, std::size_t most) const;
  // Of the next entry.
  std::uint64_t end() const;

 private:
  Result<bool> Read();
  Result<bool> ReadTail();
  bool AddStates();
  void Drop();
  void Add(FeedEntry entry);

  Log& log_;
  mutable std::mutex mutex_;
  std::size_t users_ = 0;
  Position position_;              // up to which it has read
  std::unique_ptr<Tail> tail_;     // of all conversations, from there on; null while there are no users
  std::set<std::string> changed_;  // whose state has not been added since
  std::deque<std::shared_ptr<const FeedEntry>> entries_;
  std::uint64_t end_ = 0;  // number of the next entry
  std::size_t bytes_ = 0;
};

// "id: ...\nevent: TYPE\ndata: ...\n\n" for an item of a tail whose position after it is `position`.
FeedEntry EntryOf(const Item& item, const Position& position);
// A `state` event of a stream. `json`: StateJson.
std::string StateEvent(std::string_view json);
// What a conversation is doing now.
Result<FeedEntry> StateEntry(Log& log, const std::string& conversation);

}  // namespace turnlog
