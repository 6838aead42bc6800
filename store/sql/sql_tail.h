// Follows the feed: the appends of each lane in the order of their commits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/sql/event_reader.h"
#include "store/sql/lane_positions.h"

namespace turnlog {

// Waits for an append of this process, at most until the time; the feed may have grown by others meanwhile.
using AwaitAppend = std::function<void(std::chrono::milliseconds)>;

class SqlTail : public Tail {
 public:
  // `pool` must outlive it. kConflict: appends before the position are not in the log (any more).
  static Result<std::unique_ptr<Tail>> Open(ConnectionPool& pool, const SqlStoreIdentity& store, LanePositions from,
                                            const std::optional<ConversationId>& conversation, AwaitAppend await);

  Result<Item> Next() override;
  Result<bool> Wait(std::chrono::milliseconds timeout) override;
  Position position() const override { return at_.ToPosition(store_); }

 private:
  // Events of one conversation in the page: those of one append, or of several that follow each other.
  struct Run {
    ConversationKey key;
    std::string name;
    ReadRange seqs;    // not returned yet
    LanePosition end;  // of its last append
  };

  SqlTail(ConnectionPool& pool, const SqlStoreIdentity& store, LanePositions from, AwaitAppend await)
      : pool_(pool), store_(store), await_(std::move(await)), at_(std::move(from)) {}
  Status Verify() const;
  Status Resume();
  // The next page with something to return; false if there is none.
  Result<bool> LoadNextPage();
  // The first appends of a lane after its position, up to `last`: of all conversations, or of the one that is followed.
  Status LoadPage(std::uint32_t lane, std::uint64_t last);
  Status LoadPageOfOne(const LanePosition& last);
  static Run RunIn(const SqlRows& rows, std::size_t row, std::uint32_t lane);
  void BeginRun();
  void EndRun();
  bool HasPage() const { return next_run_ < runs_.size(); }

  ConnectionPool& pool_;
  const SqlStoreIdentity store_;
  const AwaitAppend await_;
  std::optional<ConversationKey> only_;

  LanePositions at_;
  std::uint32_t next_lane_ = 0;  // to be asked first: a lane that never ends must not keep the others waiting
  std::vector<Run> runs_;        // of the page at_.page
  bool of_one_ = false;          // each run is one append of the conversation that is followed, and a page in at_
  std::size_t next_run_ = 0;
  std::unique_ptr<EventReader> reader_;
};

// The ends of all lanes.
Result<LanePositions> EndOfLanes(ConnectionPool& pool, const SqlStoreIdentity& store);

}  // namespace turnlog
