// A source file in memory, read in pieces of a chosen size.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "migrate/sources/byte_source.h"

namespace turnlog {

class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::string bytes) : bytes_(std::move(bytes)) {}

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out) override {
    if (offset >= bytes_.size()) return 0;
    const std::size_t count = std::min<std::size_t>(out.size(), bytes_.size() - offset);
    std::copy_n(bytes_.data() + offset, count, out.data());
    return count;
  }

 private:
  std::string bytes_;
};

}  // namespace turnlog
