// The changes of a checkpoint, which are applied together. There may be hundreds of thousands: all keys and values are
// in one block of memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace turnlog {

// REQUIRES: no key twice.
class IndexBatch {
 public:
  enum class Kind : std::uint8_t { kPut, kAppend, kRemove };
  struct Change {
    Kind kind = Kind::kPut;
    std::string_view key, value;
  };

  void Put(std::string_view key, std::string_view value = {}) { Add(Kind::kPut, key, value); }
  // The value is appended to the key's, if it has one.
  void Append(std::string_view key, std::string_view value) { Add(Kind::kAppend, key, value); }
  void Remove(std::string_view key) { Add(Kind::kRemove, key, {}); }

  std::size_t bytes() const { return bytes_.size() + entries_.size() * sizeof(Entry); }

  // Sorted keys cost a third less to apply.
  void Sort();

  // In the order in which they were added, or that of their keys after Sort. The views are valid as long as nothing is
  // added.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (const Entry& entry : entries_) {
      const std::string_view value(bytes_.data() + entry.begin + entry.key_size, entry.value_size);
      visit(Change{entry.kind, KeyOf(entry), value});
    }
  }

 private:
  struct Entry {
    std::uint64_t order = 0;  // for Sort: the lesser number belongs to the lesser key
    std::uint64_t begin = 0;  // of the key in bytes_, which its value follows
    std::uint32_t key_size = 0, value_size = 0;
    Kind kind = Kind::kPut;
  };

  void Add(Kind kind, std::string_view key, std::string_view value) {
    entries_.push_back(
        {0, bytes_.size(), static_cast<std::uint32_t>(key.size()), static_cast<std::uint32_t>(value.size()), kind});
    bytes_.append(key).append(value);
  }
  void SetOrders();
  std::string_view KeyOf(const Entry& entry) const { return {bytes_.data() + entry.begin, entry.key_size}; }

  std::string bytes_;
  std::vector<Entry> entries_;
};

}  // namespace turnlog
