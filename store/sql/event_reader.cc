#include "store/sql/event_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kFirstPageRows = 64;  // many reads want a few events
constexpr std::uint64_t kPageRows = 1024;
constexpr std::uint64_t kPageBytes = std::uint64_t{4}
                                     << 20;  // a page ends after this much payload, and has one event at least

// A page in one trip: of the next rows, those before which the page is not full yet. It begins with the row that holds
// the first event, whose seq may be smaller.
SqlStatement PageStatement(bool backward) {
  const std::string_view order = backward ? "DESC" : "ASC";
  return {fmt::format("turnlog_event_page_{}", backward ? "backward" : "forward"),
          fmt::format("SELECT {0} FROM (SELECT *, sum(octet_length(payload)) OVER (ORDER BY seq {1} ROWS UNBOUNDED "
                      "PRECEDING) AS filled FROM (SELECT {0} FROM turnlog_event WHERE lane = $1 AND conv = $2 AND seq "
                      ">= coalesce((SELECT max(seq) FROM turnlog_event WHERE lane = $1 AND conv = $2 AND seq <= $3), "
                      "$3) AND seq <= $4 ORDER BY seq {1} LIMIT $5) AS page) AS measured WHERE filled - "
                      "octet_length(payload) < $6 ORDER BY seq {1}",
                      kEventColumns, order)};
}

const SqlStatement kPart{"turnlog_part_find",
                         "SELECT payload FROM turnlog_part WHERE lane = $1 AND conv = $2 AND seq = $3 AND part = $4"};

}  // namespace

EventReader::EventReader(ConnectionPool& pool, const ConversationKey& key, std::string name, ReadRange range,
                         bool backward)
    : pool_(pool), key_(key), name_(std::move(name)), backward_(backward), left_(range), page_rows_(kFirstPageRows) {}

Result<Item> EventReader::Next() {
  TURNLOG_TRY(pool_.MustBeOpen());
  if (left_.last < left_.first) return EndOfLog{};
  const std::uint64_t seq = backward_ ? left_.last : left_.first;
  if (!page_ || seq < covered_.first || seq > covered_.last) TURNLOG_TRY(LoadPage());
  auto item = ItemOf(seq);
  // Parts are read later than the row: if it was overwritten in between, they are not those of the row.
  if (item && std::holds_alternative<Damage>(*item) && HasParts()) {
    TURNLOG_TRY(LoadPage());
    item = ItemOf(seq);
  }
  if (!item) return item;
  backward_ ? --left_.last : ++left_.first;
  return item;
}

Status EventReader::LoadPage() {
  static const SqlStatement forward = PageStatement(false), backward = PageStatement(true);
  page_.reset();
  page_ = TURNLOG_TRY(pool_.Read([&](Connection& connection) {
    SqlParams params = key_.Params();
    params.Big(left_.first).Big(std::min<std::uint64_t>(left_.last, INT64_MAX)).Big(page_rows_).Big(kPageBytes);
    return connection.Run(backward_ ? backward : forward, std::move(params));
  }));
  next_row_ = 0;
  stored_.reset();
  // What the page does not reach is left to the next one; if it does not reach the first event, nothing is there.
  covered_ = left_;
  if (page_->size() > 0) {
    const StoredRow end = StoredRowIn(*page_, page_->size() - 1);
    const std::uint64_t last = LastSeqOf(key_, end);
    if (backward_) covered_.first = std::max(left_.first, end.row.seq);
    if (!backward_ && last >= left_.first) covered_.last = last;
  }
  page_rows_ = kPageRows;
  return {};
}

void EventReader::FindRow(std::uint64_t seq) {
  const std::size_t was = next_row_;
  if (backward_) {
    while (next_row_ < page_->size() && SeqOf(next_row_) > seq) ++next_row_;
  } else {
    while (next_row_ + 1 < page_->size() && SeqOf(next_row_ + 1) <= seq) ++next_row_;
  }
  if (stored_ && next_row_ == was) return;
  stored_.reset();
  if (next_row_ < page_->size()) stored_ = StoredRowIn(*page_, next_row_);
}

Result<Item> EventReader::ItemOf(std::uint64_t seq) {
  FindRow(seq);
  const auto found = stored_ ? EventAt(*stored_, seq) : std::nullopt;
  if (!found) return Broken(seq, "the event is missing: its row was lost or is damaged");
  row_ = *found;
  TURNLOG_TRY(LoadPayload());
  if (EventChecksum(key_, row_, Hash64(row_.payload)) != row_.checksum) {
    return Broken(seq, "the row does not match its checksum");
  }
  if (static_cast<std::uint16_t>(row_.state) > static_cast<std::uint16_t>(EventState::kErased)) {
    return std::unexpected(Error{ErrorCode::kUnsupportedVersion, "an event was written by a later version of turnlog"});
  }
  if (row_.state == EventState::kErased) {
    return Erased{.conversation = name_, .seq = {seq}, .turn = {row_.turn}, .kind = row_.kind};
  }
  return Record{.conversation = name_,
                .seq = {seq},
                .turn = {row_.turn},
                .kind = row_.kind,
                .payload = row_.payload,
                .redacted = row_.state == EventState::kRedacted};
}

// Moves the payload to aligned memory, with its parts. A missing part shows in the checksum.
Status EventReader::LoadPayload() {
  const std::uint64_t most = std::uint64_t{row_.parts} + 1;
  if (most > kMaxEventBytes / kPartBytes + 1) row_.parts = 0;  // damaged
  const std::span<char> out =
      payload_.Take(std::max(row_.payload.size(), most * kPartBytes * (row_.parts > 0 ? 1 : 0)));
  std::size_t size = row_.payload.size();
  std::memcpy(out.data(), row_.payload.data(), size);
  for (std::uint32_t part = 1; part <= row_.parts; ++part) {
    const SqlRows rows = TURNLOG_TRY(pool_.Read([&](Connection& connection) {
      SqlParams params = key_.Params();
      params.Big(row_.seq).Int(static_cast<std::int32_t>(part));
      return connection.Run(kPart, std::move(params));
    }));
    if (rows.size() == 0) break;
    const std::string_view bytes = rows.Bytes(0, 0).substr(0, out.size() - size);
    std::memcpy(out.data() + size, bytes.data(), bytes.size());
    size += bytes.size();
  }
  row_.payload = {out.data(), size};
  return {};
}

Damage EventReader::Broken(std::uint64_t seq, std::string reason) const {
  return {.file = "turnlog_event", .conversation = name_, .seq = seq, .reason = std::move(reason)};
}

}  // namespace turnlog
