// A growing sequence whose elements stay where they are. Empty, it takes no memory; growing copies nothing, and takes
// as much as there is already, 64 KiB at most.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace turnlog {

// References stay valid.
template <class T>
class StableVector {
 public:
  StableVector() = default;
  StableVector(StableVector&& other) noexcept
      : chunks_(std::move(other.chunks_)), size_(std::exchange(other.size_, 0)) {}
  StableVector& operator=(StableVector&& other) noexcept {
    if (this == &other) return *this;
    Clear();
    chunks_.swap(other.chunks_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~StableVector() { Clear(); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  template <class... Arguments>
  T& Add(Arguments&&... arguments) {
    if (ChunkOf(size_) == chunks_.size()) AddChunk();
    T* const added = std::construct_at(At(size_), std::forward<Arguments>(arguments)...);
    ++size_;
    return *added;
  }

  T& operator[](std::size_t index) { return *At(index); }
  const T& operator[](std::size_t index) const { return *At(index); }

  // In the order in which they were added.
  template <class Visit>
  void ForEach(Visit&& visit) {
    for (std::size_t i = 0; i < size_; ++i) visit(*At(i));
  }
  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (std::size_t i = 0; i < size_; ++i) visit(std::as_const(*At(i)));
  }

  void Clear() {
    for (std::size_t i = 0; i < size_; ++i) std::destroy_at(At(i));
    chunks_.clear();
    size_ = 0;
  }

 private:
  // The chunks have 1, 2, 4 elements and so on, up to kLongest, and all further ones as many.
  static constexpr std::size_t kLongest = std::bit_floor(std::max<std::size_t>((std::size_t{64} << 10) / sizeof(T), 1));
  static constexpr std::size_t kGrowing = std::bit_width(kLongest) - 1;  // chunks before the first one of kLongest

  struct Free {
    void operator()(T* chunk) const { ::operator delete(chunk, std::align_val_t(alignof(T))); }
  };

  static std::size_t LengthOf(std::size_t chunk) { return std::size_t{1} << std::min(chunk, kGrowing); }
  static std::size_t ChunkOf(std::size_t index) {
    const std::size_t number = index + 1;  // the elements before a growing chunk are one fewer than it has
    return number < kLongest ? std::bit_width(number) - 1 : kGrowing + number / kLongest - 1;
  }
  T* At(std::size_t index) const {
    const std::size_t chunk = ChunkOf(index);
    return chunks_[chunk].get() + ((index + 1) & (LengthOf(chunk) - 1));
  }
  void AddChunk() {
    const std::size_t bytes = LengthOf(chunks_.size()) * sizeof(T);
    chunks_.emplace_back(static_cast<T*>(::operator new(bytes, std::align_val_t(alignof(T)))));
  }

  std::vector<std::unique_ptr<T, Free>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace turnlog
