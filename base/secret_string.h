// Memory for secrets: it is overwritten before it is freed, also when a text is reallocated.
#pragma once

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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

// Unlike std::string, it does not keep short texts inside the object, where they would not be wiped.
class SecretString {
 public:
  SecretString() = default;
  explicit SecretString(std::string_view text) : bytes_(text.begin(), text.end()) {}

  std::string_view view() const& { return {bytes_.data(), bytes_.size()}; }
  std::string_view view() const&& = delete;
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  void Append(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
  void Append(char letter) { bytes_.push_back(letter); }
  void Reserve(std::size_t size) { bytes_.reserve(size); }
  // Returns the bytes for writing. New bytes are zero.
  std::span<char> Resize(std::size_t size) { return bytes_.resize(size), std::span<char>(bytes_); }
  void Clear() { bytes_.clear(); }  // keeps the capacity

  bool operator==(const SecretString& other) const { return view() == other.view(); }

 private:
  WipedVector<char> bytes_;
};

// Overwrites a secret that is in an ordinary string.
inline void Wipe(std::string& text) {
  ::explicit_bzero(text.data(), text.size());
  text.clear();
}

}  // namespace turnlog
