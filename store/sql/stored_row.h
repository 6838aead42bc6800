// A row of turnlog_event: one event, or several small ones of an append that follow each other.
//
// A row costs the database more than the events in it: its header, its index entry, its share of the statement. So
// events of one append share rows of up to kPackedBytes. The payload of such a row is a table with an entry of
// kEntryBytes for each event, and then their payloads:
//
//   entry := checksum: uint64  turn: uint64  end: uint32 (of its payload, from the row's)  kind: uint8  state: uint8
//
// all big-endian. Every event has its own checksum, so that damage to one leaves the others readable.
// docs/sql_engine.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "store/sql/event_row.h"

namespace turnlog {

// A row of this size fills a page of PostgreSQL, and needs no TOAST.
inline constexpr std::size_t kPackedBytes = 8000;
inline constexpr std::size_t kEntryBytes = 22;

struct StoredRow {
  // The event. Of several: the seq of the first; a checksum over all entries; the packed payload; nothing else.
  EventRow row;
  std::uint32_t events = 1;
  std::uint64_t tag = 0;  // of their append
};

// The columns of StoredRow in turnlog_event, in the order of StoredRowIn.
inline constexpr std::string_view kEventColumns = "seq, kind, state, turn, checksum, parts, payload, events, tag";
// Views into the rows.
StoredRow StoredRowIn(const SqlRows& rows, std::size_t row);

// An event of the row, as it is stored: its checksum is not verified. Nothing if the row does not reach that far, or
// its entry is damaged.
std::optional<EventRow> EventAt(const StoredRow& stored, std::uint64_t seq);
// The seq of the last event. Of a row whose number of events or entries are damaged, that of the first.
std::uint64_t LastSeqOf(const ConversationKey& key, const StoredRow& stored);

// Rows for new contents, and the memory of packed payloads.
struct PackedRows {
  std::vector<StoredRow> rows;
  std::vector<std::unique_ptr<SecretString>> payloads;
};
// REQUIRES: at least one event, ascending without gaps, with their checksums and whole payloads.
PackedRows PackRows(const ConversationKey& key, std::span<const EventRow> events, std::uint64_t tag);

}  // namespace turnlog
