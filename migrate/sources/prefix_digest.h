// A hash of a file from its beginning, which goes on when the file has grown: a chain over blocks of 64 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace turnlog {

class PrefixDigest {
 public:
  static constexpr std::size_t kBlock = 64;

  PrefixDigest() = default;
  // Goes on after `blocks` blocks with this chain, of which this was the last one.
  PrefixDigest(std::uint64_t blocks, std::uint64_t chain, std::string_view last)
      : size_(blocks * kBlock), chain_(chain), last_(last) {}

  void Add(std::string_view bytes);
  std::uint64_t size() const { return size_ + rest_.size(); }  // of the bytes added
  std::uint64_t blocks() const { return size_ / kBlock; }
  std::uint64_t chain() const { return chain_; }  // of the complete blocks
  // The last bytes: the incomplete block and the one before it.
  std::string tail() const { return last_ + rest_; }
  // Of all bytes.
  std::uint64_t Value() const;

 private:
  std::uint64_t size_ = 0;  // of the complete blocks
  std::uint64_t chain_ = 0;
  std::string last_, rest_;  // the last complete block, and the bytes after it
};

}  // namespace turnlog
