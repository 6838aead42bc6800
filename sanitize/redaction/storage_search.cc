#include "sanitize/redaction/storage_search.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace turnlog {
namespace {

// An upper bound of a value's growth when it is escaped four times and encoded in base64 twice.
constexpr std::size_t kGrowth = 32;
constexpr std::size_t kContext = std::size_t{64} << 10;

// Preallocated space of segments is mostly zero.
bool IsZero(std::string_view bytes) {
  return bytes.empty() || (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

}  // namespace

// Enough on both sides of a border between pieces.
std::size_t StorageSearch::Overlap(std::size_t longest) { return 2 * std::max(kContext, kGrowth * longest); }

void StorageSearch::OnPiece(const StoragePiece& piece) {
  if (piece.offset == 0) {
    find_end_.reset();
    if (!finder_.Find(piece.object).empty()) on_find_({.object = piece.object, .offset = {}, .entry = {}});
  }
  for (const TextSpan& span : IsZero(piece.bytes) ? std::vector<TextSpan>() : finder_.Find(piece.bytes)) {
    const std::uint64_t begin = piece.offset + span.begin;
    found_in_piece_ = true;
    // An occurrence found in two overlapping pieces is reported once.
    if (!find_end_ || begin > *find_end_) on_find_({.object = piece.object, .offset = begin, .entry = {}});
    find_end_ = std::max(find_end_.value_or(0), piece.offset + span.end);
  }
  if (!piece.last) return;
  ++objects_;
  bytes_ += piece.offset + piece.bytes.size();
}

void StorageSearch::OnEntry(std::string_view object, std::string_view key, std::string_view value) {
  ++(key.empty() ? records_ : entries_);
  if (finder_.Find(key).empty() && finder_.Find(value).empty()) return;
  found_in_entry_ = true;
  on_find_({.object = object, .offset = {}, .entry = key.empty() ? records_ : entries_});
}

}  // namespace turnlog
