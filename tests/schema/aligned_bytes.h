#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace turnlog {

// A copy of bytes where payloads must lie to be decoded; exactly as long, so that a read beyond them is noticed.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::string_view bytes) : words_((bytes.size() + 7) / 8), size_(bytes.size()) {
    if (!bytes.empty()) std::memcpy(words_.data(), bytes.data(), bytes.size());
  }

  char* data() { return reinterpret_cast<char*>(words_.data()); }
  std::string_view view() { return {data(), size_}; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

}  // namespace turnlog
