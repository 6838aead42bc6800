#include "store/sql/stored_row.h"

#include <algorithm>
#include <string>

#include "base/coding.h"

namespace turnlog {
namespace {

std::size_t TableBytes(const StoredRow& stored) { return kEntryBytes * stored.events; }

bool HasTable(const StoredRow& stored) { return stored.events > 0 && TableBytes(stored) <= stored.row.payload.size(); }

std::uint64_t TableChecksum(const ConversationKey& key, const StoredRow& stored) {
  std::string identity;
  AppendBig(identity, key.lane);
  AppendHash(identity, key.conv);
  AppendBig(identity, stored.row.seq);
  AppendBig(identity, stored.events);
  AppendBig(identity, Hash64(stored.row.payload.substr(0, TableBytes(stored))));
  return Hash64(identity);
}

std::size_t EndOf(const StoredRow& stored, std::uint64_t index) {
  return LoadBig<std::uint32_t>(stored.row.payload.data() + kEntryBytes * index + 16);
}

// The first events that fit into one row; one at least.
std::span<const EventRow> FirstThatFit(std::span<const EventRow> events) {
  std::size_t count = 0, bytes = 0;
  while (count < events.size() && bytes + kEntryBytes + events[count].payload.size() <= kPackedBytes) {
    bytes += kEntryBytes + events[count++].payload.size();
  }
  return events.first(std::max<std::size_t>(count, 1));
}

void Pack(PackedRows& packed, const ConversationKey& key, std::span<const EventRow> events, std::uint64_t tag) {
  std::size_t end = kEntryBytes * events.size();
  for (const EventRow& event : events) end += event.payload.size();
  SecretString& payload = *packed.payloads.emplace_back(std::make_unique<SecretString>());
  char* const bytes = payload.Resize(end).data();
  end = kEntryBytes * events.size();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const EventRow& event = events[i];
    event.payload.copy(bytes + end, event.payload.size());
    end += event.payload.size();
    char* const entry = bytes + kEntryBytes * i;
    StoreBig(entry, event.checksum);
    StoreBig(entry + 8, event.turn);
    StoreBig(entry + 16, static_cast<std::uint32_t>(end));
    entry[20] = static_cast<char>(event.kind);
    entry[21] = static_cast<char>(event.state);
  }
  StoredRow& stored = packed.rows.emplace_back(
      StoredRow{.row = {.seq = events.front().seq, .turn = events.front().turn, .payload = payload.view()},
                .events = static_cast<std::uint32_t>(events.size()),
                .tag = tag});
  stored.row.checksum = TableChecksum(key, stored);
}

}  // namespace

StoredRow StoredRowIn(const SqlRows& rows, std::size_t row) {
  StoredRow stored{.row = {.seq = rows.Integer(row, 0),
                           .kind = static_cast<EventKind>(rows.Integer(row, 1)),
                           .state = static_cast<EventState>(rows.Integer(row, 2)),
                           .turn = rows.Integer(row, 3),
                           .checksum = rows.Integer(row, 4),
                           .parts = static_cast<std::uint32_t>(rows.Integer(row, 5)),
                           .payload = rows.Bytes(row, 6)},
                   // Version 1 of the schema had one event in each row.
                   .events = rows.IsNull(row, 7) ? 1 : static_cast<std::uint32_t>(rows.Integer(row, 7)),
                   .tag = rows.Integer(row, 8)};
  if (rows.Integer(row, 1) > UINT8_MAX) stored.events = 0;  // damaged: the checksum would not see all of it
  return stored;
}

std::optional<EventRow> EventAt(const StoredRow& stored, std::uint64_t seq) {
  if (stored.events == 1) return seq == stored.row.seq ? std::optional(stored.row) : std::nullopt;
  const std::uint64_t index = seq - stored.row.seq;
  if (index >= stored.events || !HasTable(stored)) return std::nullopt;
  const std::size_t begin = index == 0 ? TableBytes(stored) : EndOf(stored, index - 1);
  const std::size_t end = EndOf(stored, index);
  if (begin > end || end > stored.row.payload.size()) return std::nullopt;
  const char* entry = stored.row.payload.data() + kEntryBytes * index;
  return EventRow{.seq = seq,
                  .kind = static_cast<EventKind>(static_cast<unsigned char>(entry[20])),
                  .state = static_cast<EventState>(static_cast<unsigned char>(entry[21])),
                  .turn = LoadBig<std::uint64_t>(entry + 8),
                  .checksum = LoadBig<std::uint64_t>(entry),
                  .payload = stored.row.payload.substr(begin, end - begin)};
}

std::uint64_t LastSeqOf(const ConversationKey& key, const StoredRow& stored) {
  if (stored.events <= 1 || !HasTable(stored)) return stored.row.seq;
  if (TableChecksum(key, stored) != stored.row.checksum) return stored.row.seq;
  return stored.row.seq + stored.events - 1;
}

PackedRows PackRows(const ConversationKey& key, std::span<const EventRow> events, std::uint64_t tag) {
  PackedRows packed;
  while (!events.empty()) {
    const std::span<const EventRow> together = FirstThatFit(events);
    if (together.size() > 1) {
      Pack(packed, key, together, tag);
    } else {
      packed.rows.push_back({.row = together.front(), .events = 1, .tag = tag});
    }
    events = events.subspan(together.size());
  }
  return packed;
}

}  // namespace turnlog
