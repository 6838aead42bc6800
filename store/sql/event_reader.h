// Reads the events of one conversation from its rows, page by page, and verifies them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/aligned_buffer.h"
#include "log/read_range.h"
#include "store/sql/connection_pool.h"
#include "store/sql/stored_row.h"
#include "turnlog/log.h"

namespace turnlog {

class EventReader : public Cursor {
 public:
  // `pool` must outlive it.
  EventReader(ConnectionPool& pool, const ConversationKey& key, std::string name, ReadRange range, bool backward);

  // Views into memory of the reader, valid until the next call.
  Result<Item> Next() override;

  // The row of the last item, if it was a record or an erased event; its payload is the item's.
  const EventRow& row() const { return row_; }
  // The row that holds it; views into memory of the reader.
  const StoredRow& stored() const { return *stored_; }

 private:
  Status LoadPage();
  std::uint64_t SeqOf(std::size_t row) const { return page_->Integer(row, 0); }
  // Moves stored_ to the row of the page that must hold the event.
  void FindRow(std::uint64_t seq);
  Result<Item> ItemOf(std::uint64_t seq);
  bool HasParts() const { return stored_ && stored_->events == 1 && stored_->row.parts > 0; }
  Status LoadPayload();
  Damage Broken(std::uint64_t seq, std::string reason) const;

  ConnectionPool& pool_;
  const ConversationKey key_;
  const std::string name_;
  const bool backward_;
  ReadRange left_;  // not returned yet

  std::optional<SqlRows> page_;
  std::size_t next_row_ = 0;
  ReadRange covered_;  // the seqs that page_ answers for
  std::uint64_t page_rows_;
  std::optional<StoredRow> stored_;  // the row next_row_
  EventRow row_;
  AlignedBuffer payload_;
};

}  // namespace turnlog
