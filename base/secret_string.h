// Memory for secrets: it is overwritten before it is freed, also when a text is reallocated.
#pragma once

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnlog {

template <class T>
struct WipingAllocator {
  using value_type = T;

  WipingAllocator() = default;
  template <class U>
  WipingAllocator(const WipingAllocator<U>&) {}  // NOLINT(google-explicit-constructor): containers convert it

  T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* memory, std::size_t count) {
    ::explicit_bzero(static_cast<void*>(memory), count * sizeof(T));
    std::allocator<T>().deallocate(memory, count);
  }
  bool operator==(const WipingAllocator&) const = default;
};

template <class T>
using WipedVector = std::vector<T, WipingAllocator<T>>;

// Unlike std::string, it does not keep short texts inside the object, where they would not be wiped. Bytes are copied
// and filled in at once, which a vector with an allocator of its own does one by one.
class SecretString {
 public:
  SecretString() = default;
  explicit SecretString(std::string_view text) { Append(text); }
  SecretString(const SecretString& other) : SecretString(other.view()) {}
  SecretString(SecretString&& other) noexcept { swap(other); }
  SecretString& operator=(SecretString other) noexcept { return swap(other), *this; }
  ~SecretString() { Free(); }

  std::string_view view() const& { return {bytes_, size_}; }
  std::string_view view() const&& = delete;
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // `text` may not be a part of this one.
  void Append(std::string_view text) {
    if (text.empty()) return;
    Grow(size_ + text.size());
    std::ranges::copy(text, bytes_ + size_);
    size_ += text.size();
  }
  void Append(char letter) { Append({&letter, 1}); }
  void Reserve(std::size_t size) {
    if (size > capacity_) MoveTo(size);
  }
  // Returns the bytes for writing. New bytes are zero.
  std::span<char> Resize(std::size_t size) {
    if (const std::size_t before = size_; size > before) {
      Grow(size);
      std::memset(bytes_ + before, 0, size - before);
    }
    size_ = size;
    return {bytes_, size_};
  }
  void Clear() { size_ = 0; }  // keeps the capacity

  bool operator==(const SecretString& other) const { return view() == other.view(); }

 private:
  void swap(SecretString& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void Grow(std::size_t size) {
    if (size > capacity_) MoveTo(std::max(size, 2 * capacity_));
  }
  void MoveTo(std::size_t capacity) {
    char* const larger = WipingAllocator<char>().allocate(capacity);
    if (size_ > 0) std::memcpy(larger, bytes_, size_);
    Free();
    bytes_ = larger;
    capacity_ = capacity;
  }
  void Free() {
    if (bytes_ != nullptr) WipingAllocator<char>().deallocate(bytes_, capacity_);
  }

  char* bytes_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

// Overwrites a secret that is in an ordinary string.
inline void Wipe(std::string& text) {
  ::explicit_bzero(text.data(), text.size());
  text.clear();
}

}  // namespace turnlog
