#pragma once

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace turnlog {

// Memory aligned for records. It grows and never shrinks; growing discards the contents, and new memory is not cleared.
// Overwritten before it is freed: records may contain secrets.
class AlignedBuffer {
 public:
  std::span<char> Take(std::size_t size) {
    const std::size_t words = (size + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    if (memory_ == nullptr || words > memory_.get_deleter().words) {
      memory_ = Memory(new std::uint64_t[words], {words});
    }
    return {reinterpret_cast<char*>(memory_.get()), size};
  }

 private:
  struct WipeAndFree {
    void operator()(std::uint64_t* memory) const {
      ::explicit_bzero(memory, words * sizeof(std::uint64_t));
      delete[] memory;
    }
    std::size_t words;
  };
  using Memory = std::unique_ptr<std::uint64_t[], WipeAndFree>;

  Memory memory_{nullptr, {0}};
};

}  // namespace turnlog
