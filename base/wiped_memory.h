// Memory that is overwritten where it was filled before it is freed: the rest of a large one was never touched.
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

  // While it is filled, any of it may be.
  void BeginFilling() { filled_ = all(); }
  void EndFilling(std::span<char> filled) { filled_ = filled; }
  std::span<char> filled() const { return filled_; }
  void Wipe() {
    if (!filled_.empty()) ::explicit_bzero(filled_.data(), filled_.size());
    filled_ = {};
  }

 private:
  void swap(WipedMemory& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(filled_, other.filled_);
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::span<char> filled_;
};

}  // namespace turnlog
