#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace turnlog {

// Memory aligned for records. It grows and never shrinks; growing discards the contents.
class AlignedBuffer {
 public:
  std::span<char> Take(std::size_t size) {
    if (words_.size() * sizeof(std::uint64_t) < size)
      words_.resize((size + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
    return {reinterpret_cast<char*>(words_.data()), size};
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace turnlog
