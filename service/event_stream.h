// Server-sent events. The id of each is the position after it, from which a client goes on after a lost connection.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "http/message.h"
#include "service/access.h"
#include "service/event_feed.h"
#include "service/follower.h"
#include "service/service_state.h"

namespace turnlog {

// Reads by itself up to the end of the log, and sends from then on what the feed has read for all. At the end of the
// log it sends a snapshot first: the state of its conversation, or those of all that are not finished.
class EventStream : public BodySource {
 public:
  // `reset`: the position that the client gave is not of this store.
  EventStream(ServiceState& state, StreamAccess access, Follower follower, bool reset)
      : state_(state),
        access_(std::move(access)),
        follower_(std::move(follower)),
        reset_(reset),
        last_(state.steady_now()) {
    if (const auto& conversation = follower_.conversation()) changed_.insert(conversation->text());
  }

  Result<State> Read(std::string& piece) override;
  void OnWake(std::function<void()> wake) override;
  std::chrono::milliseconds idle_limit() const override;

 private:
  Result<State> ReadLog(std::string& piece);
  Result<State> AtEnd(std::string& piece);
  Result<State> ReadFeed(std::string& piece);
  Status SendSnapshot(std::string& piece);
  void Send(const FeedEntry& entry, std::string& piece);
  void CountLag();

  ServiceState& state_;
  const StreamAccess access_;
  Follower follower_;
  bool reset_;
  std::set<std::string> changed_;  // conversations whose state has not been sent since

  // Of a stream of all conversations.
  bool snapshot_sent_ = false;
  std::shared_ptr<const StateSnapshot> snapshot_;  // that is being sent
  std::size_t next_state_ = 0;                     // in it

  // Of the feed: from the second time at the end of the log, so that nothing is missing between the two.
  EventFeed::User user_;
  bool joined_ = false, live_ = false;
  std::uint64_t number_ = 0;                 // of the next entry
  std::uint64_t overlap_end_ = 0;            // entries before may have been read from the log, too
  std::map<std::string, Seq> read_overlap_;  // the last seq of each conversation that was read there after joining

  std::atomic<std::chrono::steady_clock::rep> woken_ = 0;  // when events came that are not all sent; 0: they are
  std::chrono::steady_clock::time_point last_;
  EventHub::Subscription subscription_;
};

}  // namespace turnlog
