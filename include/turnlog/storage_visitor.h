// Looking through everything that an engine keeps of a store, byte by byte: how a redaction proves that a value is
// gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace turnlog {

// Called now and then with bytes done and bytes in all, on the calling thread.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct StorageScan {
  // Each piece of an object repeats at least so many bytes of the one before it, so that what is shorter lies whole in
  // one of them.
  std::size_t overlap = 0;
  Progress progress;
};

// A piece of one stored object; the pieces of an object come one after another, in order. The views are valid during
// the call.
struct StoragePiece {
  std::string_view object;   // as an operator knows it, e.g. a file's path below the store
  std::uint64_t offset = 0;  // of `bytes` in the object
  std::string_view bytes;
  bool last = false;  // the object ends here
};

class StorageVisitor {
 public:
  virtual ~StorageVisitor() = default;

  // Bytes as they lie on the medium. Every object has at least one piece, which may be empty.
  virtual void OnPiece(const StoragePiece& piece) = 0;
  // One entry of something that the engine keeps compressed or shortened, as the engine reads it: key and value.
  virtual void OnEntry(std::string_view object, std::string_view key, std::string_view value) = 0;
  // Part of this object, or all of it, could not be shown.
  virtual void OnUnreadable(std::string_view object, std::string_view reason) = 0;
};

}  // namespace turnlog
