// Memory that is filled from its end, and overwritten where it was filled before it is freed.
#pragma once

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace turnlog {

class WipedMemory {
 public:
  WipedMemory() = default;
  explicit WipedMemory(std::size_t size) : bytes_(new char[size]), size_(size) {}
  WipedMemory(WipedMemory&& other) noexcept { swap(other); }
  WipedMemory& operator=(WipedMemory other) noexcept { return swap(other), *this; }
  ~WipedMemory() { Wipe(); }

  // Not initialized.
  std::span<char> all() const { return {bytes_.get(), size_}; }
  std::size_t size() const { return size_; }

  // While it is filled, all of it may be.
  void BeginFilling() { filled_ = size_; }
  void EndFilling(std::size_t filled) { filled_ = filled; }
  std::size_t filled() const { return filled_; }  // bytes at the end, at most
  void Wipe() {
    if (filled_ > 0) ::explicit_bzero(bytes_.get() + size_ - filled_, filled_);
    filled_ = 0;
  }

 private:
  void swap(WipedMemory& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(filled_, other.filled_);
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0, filled_ = 0;
};

}  // namespace turnlog
