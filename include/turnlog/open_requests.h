// Which requests of a turn have no response yet, for tool calls and inquiries alike.
//
// The pairing rule, here and nowhere else: a response closes the nearest earlier request of its id that is still open,
// in the same turn. Ids that other writers gave may repeat within a turn: then the question asked before a crash stays
// open, and the one asked again is answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace turnlog {

// Of one turn: a new turn begins with an empty one. Every call takes constant time.
class OpenRequests {
 public:
  // `number` identifies the request: its seq, or its index among other things.
  // REQUIRES: higher than any that was opened before.
  void Open(std::string_view id, std::uint64_t number) { open_[std::string(id)].push_back(number); }

  // The request that a response of this id would close; none if the response is unmatched.
  std::optional<std::uint64_t> Nearest(std::string_view id) const {
    const auto entry = open_.find(id);
    return entry == open_.end() ? std::nullopt : std::optional(entry->second.back());
  }

  // A response of this id: the request that it closes, which is not open any more.
  std::optional<std::uint64_t> Close(std::string_view id) {
    const auto entry = open_.find(id);
    if (entry == open_.end()) return std::nullopt;
    const std::uint64_t closed = entry->second.back();
    entry->second.pop_back();
    if (entry->second.empty()) open_.erase(entry);
    return closed;
  }

  bool empty() const { return open_.empty(); }
  void Clear() { open_.clear(); }
  bool operator==(const OpenRequests&) const = default;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view id) const { return std::hash<std::string_view>()(id); }
  };

  std::unordered_map<std::string, std::vector<std::uint64_t>, Hash, std::equal_to<>> open_;  // by id, ascending
};

}  // namespace turnlog
