// An input taken apart from its front; zeros behind its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace turnlog {

class InputBytes {
 public:
  InputBytes(const std::uint8_t* data, std::size_t size) : left_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return left_.empty(); }
  std::uint8_t Byte() {
    const std::string_view byte = Text(1);
    return byte.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(byte.front());
  }
  std::uint64_t Number(int bytes) {
    std::uint64_t number = 0;
    while (bytes-- > 0) number = number << 8 | Byte();
    return number;
  }
  std::string_view Text(std::size_t size) {
    const std::string_view text = left_.substr(0, size);
    left_.remove_prefix(text.size());
    return text;
  }
  std::string_view Rest() { return Text(left_.size()); }

 private:
  std::string_view left_;
};

}  // namespace turnlog
