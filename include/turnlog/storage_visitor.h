// Visits every byte that an engine stores: how a redaction proves that a value is
// gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace turnlog {

// Called periodically with the bytes done and the total, on the calling thread.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct StorageScan {
  // Each piece of an object repeats at least so many bytes of the previous one, so that any shorter value is contained
  // whole in one piece.
  std::size_t overlap = 0;
  Progress progress;
};

// A piece of one stored object; the pieces of an object come in order. The views are valid during the
// call.
struct StoragePiece {
  std::string_view object;   // its name for operators, e.g. a file's path below the store
  std::uint64_t offset = 0;  // of `bytes` in the object
  std::string_view bytes;
  bool last = false;  // the object ends here
};

class StorageVisitor {
 public:
  virtual ~StorageVisitor() = default;

  // Bytes as stored. Every object has at least one piece, which may be empty.
  virtual void OnPiece(const StoragePiece& piece) = 0;
  // One entry that the engine stores compressed or shortened, in decoded form: key and value; of a compressed record,
  // its place is the object, and there is no key.
  virtual void OnEntry(std::string_view object, std::string_view key, std::string_view value) = 0;
  // All or part of this object could not be read.
  virtual void OnUnreadable(std::string_view object, std::string_view reason) = 0;
  // Asked after the visit: whether stored bytes have to go that are in no entry, such as those of a transaction that
  // was rolled back. An engine that keeps such bytes removes them at its next checkpoint, if it can.
  virtual bool FoundOutsideOfEntries() const { return false; }
};

}  // namespace turnlog
