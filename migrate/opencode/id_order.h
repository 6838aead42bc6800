// The order of what opencode's ids name. An id has the time of its making, in 48 bits: the numbers began again at 0 in
// August 2026, and do every 795 days.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turnlog {

// The number in an id such as "msg_0196f3a1b001...", which ascends with the time until it begins again; nothing in
// other ids.
std::optional<std::uint64_t> OpencodeIdNumber(std::string_view id);

// Which of some ids were made after the numbers had begun again. REQUIRES: none was made more than a year after
// another one.
class OpencodeIdOrder {
 public:
  void Add(std::string_view id);
  bool IsAfterRestart(std::string_view id) const;

 private:
  std::uint64_t highest_ = 0;
};

// Puts items that are in the order of their ids in that of their times.
template <class Item, class IdOf>
void OrderByTimeOfIds(std::vector<Item>& items, const IdOf& id_of) {
  OpencodeIdOrder order;
  for (const Item& item : items) order.Add(id_of(item));
  std::vector<Item> later;
  auto next = items.begin();
  for (Item& item : items) {
    if (order.IsAfterRestart(id_of(item))) {
      later.push_back(std::move(item));
    } else if (Item& place = *next++; &place != &item) {
      place = std::move(item);
    }
  }
  std::ranges::move(later, next);
}

// The least id that is half of all numbers away from `message`, for its parts: if some were made before the numbers
// began again and others after, those below come last. Empty if no part can be on the other side.
std::string FirstPartOfOtherHalf(std::string_view message);

}  // namespace turnlog
