#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace turnlog {

// Memory aligned for records. It grows and never shrinks; growing discards the contents, and new memory is not cleared.
class AlignedBuffer {
 public:
  std::span<char> Take(std::size_t size) {
    const std::size_t words = (size + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    if (memory_ == nullptr || words > words_) {
      memory_ = std::make_unique_for_overwrite<std::uint64_t[]>(words);
      words_ = words;
    }
    return {reinterpret_cast<char*>(memory_.get()), size};
  }

 private:
  std::unique_ptr<std::uint64_t[]> memory_;
  std::size_t words_ = 0;
};

}  // namespace turnlog
