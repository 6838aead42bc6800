#include "store/sql/lane_positions.h"

#include <string>
#include <string_view>

#include "base/coding.h"
#include "base/hex.h"
#include "base/try.h"

namespace turnlog {
namespace {

// "sql1-" and hexadecimal digits: 4 bytes of the store's id; for each lane its position, and the tag unless it is 0;
// then the open page, if there is one.
constexpr std::string_view kPrefix = "sql1-";
static_assert(2 * (4 + std::size_t{kSqlLanes} * 14 + 24) + kPrefix.size() <= kMaxPositionBytes);

std::unexpected<Error> NotOurs() {
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument,
            "a position in this store begins with \"sql1-\", as printed by a tail; 0-0 is the beginning"});
}

void Append(std::string& out, const LanePosition& position) {
  AppendVarint(out, position.pos);
  if (position.pos > 0) AppendBig(out, position.tag);
}

std::uint32_t TakeTag(Decoder& in) {
  const std::string_view bytes = in.Bytes(sizeof(std::uint32_t));
  return in.ok ? LoadBig<std::uint32_t>(bytes.data()) : 0;
}

LanePosition Take(Decoder& in) {
  LanePosition position{.pos = in.Varint()};
  if (position.pos > 0) position.tag = TakeTag(in);
  if (position.pos > INT64_MAX) in.ok = false;
  return position;
}

std::string ToHex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text.push_back(kDigits[static_cast<unsigned char>(byte) >> 4]);
    text.push_back(kDigits[static_cast<unsigned char>(byte) & 15]);
  }
  return text;
}

std::optional<std::string> FromHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (; !text.empty(); text.remove_prefix(2)) {
    const auto byte = ParseHex(text.substr(0, 2));
    if (!byte) return std::nullopt;
    bytes.push_back(static_cast<char>(*byte));
  }
  return bytes;
}

std::uint32_t StoreCheck(const SqlStoreIdentity& store) { return static_cast<std::uint32_t>(store.store.low); }

}  // namespace

LanePositions LanePositions::Beginning(const SqlStoreIdentity& store) {
  return {.lanes = std::vector<LanePosition>(store.lanes), .page = {}};
}

Result<LanePositions> LanePositions::From(const SqlStoreIdentity& store, const Position& position) {
  LanePositions parsed = Beginning(store);
  if (position == Position()) return parsed;
  const std::string_view text = position.ToText();
  const auto bytes = text.starts_with(kPrefix) ? FromHex(text.substr(kPrefix.size())) : std::nullopt;
  if (!bytes) return NotOurs();
  Decoder in{*bytes};
  const std::uint32_t check = TakeTag(in);
  if (in.ok && check != StoreCheck(store)) {
    return std::unexpected(Error{ErrorCode::kConflict, "the position is of another store"});
  }
  for (LanePosition& lane : parsed.lanes) lane = Take(in);
  if (in.ok && !in.bytes.empty()) {
    OpenPage page{.lane = static_cast<std::uint32_t>(in.Varint())};
    page.last = Take(in);
    page.events = in.Varint();
    if (page.lane >= parsed.lanes.size()) return NotOurs();
    parsed.page = page;
  }
  if (!in.ok || !in.bytes.empty()) return NotOurs();
  return parsed;
}

Position LanePositions::ToPosition(const SqlStoreIdentity& store) const {
  std::string bytes;
  AppendBig(bytes, StoreCheck(store));
  for (const LanePosition& lane : lanes) Append(bytes, lane);
  if (page) {
    AppendVarint(bytes, page->lane);
    Append(bytes, page->last);
    AppendVarint(bytes, page->events);
  }
  return *Position::Parse(std::string(kPrefix) + ToHex(bytes));  // always a valid position
}

}  // namespace turnlog
