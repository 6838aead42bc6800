// The ids of the records that were read, in 12 bytes each: a session may have millions of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace turnlog {

// Of hashes: two ids are taken for one with a probability of 2^-64.
class IdTable {
 public:
  // What is kept for each id: a hash of the record's contents, or that it came earlier.
  static constexpr std::uint32_t kEarlier = 0;
  static std::uint32_t Contents(std::uint64_t hash) { return static_cast<std::uint32_t>(hash) | 1; }

  // Nothing if the id is new; otherwise what is kept for it, which stays.
  std::optional<std::uint32_t> Insert(std::uint64_t id, std::uint32_t contents = kEarlier);
  // Keeps something else for an id that is known.
  void Replace(std::uint64_t id, std::uint32_t contents);
  // All ids so far came earlier.
  void MarkEarlier();
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return entries_.capacity() * sizeof(Entry); }

 private:
  struct Entry {
    std::uint32_t low = 0, high = 0;  // of the id; 0: none
    std::uint32_t contents = 0;
  };

  std::size_t Find(std::uint64_t id) const;
  void Grow();

  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace turnlog
