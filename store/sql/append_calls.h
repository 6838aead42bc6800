// Planned appends as one transaction: the statements of one append name its lane, and payloads come after what may be
// refused.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/sql/append_plan.h"
#include "store/sql/connection.h"
#include "store/sql/stored_row.h"
#include "turnlog/log.h"

namespace turnlog {

// Marks the store as one whose files may hold contents that no read returns.
SqlCall MarkUnpurgedCall();

// Its statements, and the memory that their parameters borrow.
class SqlTransaction {
 public:
  explicit SqlTransaction(Durability durability) : durability_(durability) {}

  // Guards the conversation: the transaction fails with a conflict unless its head is still `before`.
  void Guard(const ConversationHead& before);
  // REQUIRES: plans in ascending order of their keys, and those of one conversation in order. `plan` must outlive it.
  void Append(const AppendPlan& plan);
  // New contents of a stored row, for the same seqs; fails with a conflict if it has changed since it was read as
  // `was`.
  void Replace(const ConversationKey& key, const StoredRow& was, std::span<const EventRow> now);
  void MarkUnpurged() { calls_.push_back(MarkUnpurgedCall()); }
  // Inserts the events, gives the appends their positions in the feed, and commits: all in one round trip. A commit
  // that may not be on its standbys is a lost connection: its outcome is in doubt.
  SqlStatus Commit(Connection& connection);

 private:
  struct KeyedRow {
    ConversationKey key;
    StoredRow stored;
  };

  SqlCall& Add(const SqlStatement& statement) { return calls_.emplace_back(SqlCall{&statement, {}}); }
  void WriteHeads();
  void AddHead(SqlParams& params, const ConversationHead& head);
  void WriteIndexes();
  void WritePending();
  void WriteRows();
  static std::size_t EventRowsAtOnce(std::span<const KeyedRow> rows);
  // Keeps them for Commit.
  void AddRows(const ConversationKey& key, std::span<const StoredRow> rows);
  void AddParts(const ConversationKey& key, std::span<const EventRow> events);
  void WriteParts();
  void WriteFeed();

  const Durability durability_;
  std::vector<SqlCall> calls_;
  std::vector<const AppendPlan*> plans_;
  std::vector<std::unique_ptr<std::string>> texts_;
  std::vector<PackedRows> packed_;
  std::vector<KeyedRow> rows_;                               // to be inserted
  std::vector<std::pair<ConversationKey, EventRow>> large_;  // events with parts
};

// Makes what was committed in the lane before durable, by whomever: a commit whose acknowledgement was lost, or that
// did not wait, may be seen before it is on disk and on the standbys.
SqlStatus FlushLane(Connection& connection, std::uint32_t lane);

// Whether the event at `first` is that of the append with this tag: an append whose acknowledgement was lost is there.
SqlResult<bool> IsAppended(Connection& connection, const ConversationKey& key, std::uint64_t first, std::uint64_t tag);

}  // namespace turnlog
