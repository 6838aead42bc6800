// Items of cursors and tails, and pieces of the storage, on their way through a connection: exactly what the engine
// gave, events in their stored encoding. docs/http_api.md has the format ("application/vnd.turnlog.items.v1").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

inline constexpr std::string_view kItemsType = "application/vnd.turnlog.items.v1";

// On the wire: never renumber.
enum class WireType : std::uint8_t {
  kEnd = 0,  // the items are complete
  kRecord = 1,
  kErased = 2,
  kDamage = 3,
  kError = 4,     // reading has failed; nothing follows
  kPosition = 5,  // of a tail, after the item before
  kPiece = 6,     // kPiece to kUnreadable: the calls of a StorageVisitor
  kEntry = 7,
  kUnreadable = 8,
  kProgress = 9,
};

// Appends whole items to a text.
class ItemWriter {
 public:
  explicit ItemWriter(std::string& out) : out_(out) {}

  void Add(const Item& item);  // EndOfLog: kEnd
  void Add(const Error& error);
  void Add(const Position& position);
  void Add(const StoragePiece& piece);
  void AddEntry(std::string_view object, std::string_view key, std::string_view value);
  void AddUnreadable(std::string_view object, std::string_view reason);
  void AddProgress(std::uint64_t done, std::uint64_t total);

 private:
  template <class Fill>
  void Put(WireType type, Fill fill);

  std::string& out_;
};

// One item, without its length. Its texts borrow from the bytes it was parsed from.
struct WireItem {
  WireType type{};
  Item item;  // kEnd, kRecord, kErased, kDamage. The payload of a record may lie at any address
  Error error{};
  Position position;
  StoragePiece piece;
  std::string_view object, key, value;  // kEntry; kUnreadable: `value` is the reason
  std::uint64_t done = 0, total = 0;    // kProgress
};

// The length of the item that begins with these bytes, with its prefix; 0: more are needed to know.
std::uint64_t ItemLength(std::string_view bytes);
inline constexpr std::uint64_t kMaxItemBytes = kMaxEventBytes + (std::uint64_t{64} << 20);

// Of all of these: `bytes` is one item with its prefix. kIo: it is malformed, or of a later version.
Result<WireItem> ParseItem(std::string_view bytes);
bool IsRecord(std::string_view bytes);
// REQUIRES: IsRecord(bytes). The same as ParseItem in a fraction of its time, for the most frequent type.
Result<Record> ParseRecord(std::string_view bytes);

}  // namespace turnlog
