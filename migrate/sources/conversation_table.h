// What is known of each conversation of a source, which may have millions. Made for sources whose events of one
// conversation mostly follow one another, and are read twice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/hash_map.h"

namespace turnlog {

// References stay valid. Memory: the value and about 28 bytes for each.
template <class Value>
class ConversationTable {
 public:
  struct Entry {
    Hash128 key;
    Value& value;
    bool added;
  };

  static Hash128 KeyOf(std::string_view name) { return HashId(name, 0); }

  // Adds the conversation as `value` if it is not there. Costs next to nothing for the one of the last call.
  Entry TryEmplace(std::string_view name, Value value = {}) {
    if (added_ != nullptr && name == name_) return {key_, *added_, false};
    name_ = name;
    key_ = KeyOf(name);
    const auto [known, added] = values_.TryEmplace(key_, std::move(value));
    added_ = &known;
    return {key_, known, added};
  }

  // Null if it is not there. Cheapest in the order in which they were added.
  Value* Find(Hash128 key) { return values_.Find(key, found_); }

  // In the order in which they were added.
  template <class Visit>
  void ForEach(Visit&& visit) {
    values_.ForEach(visit);
  }
  template <class Visit>
  void ForEach(Visit&& visit) const {
    values_.ForEach(visit);
  }

 private:
  HashMap<Value> values_;
  std::uint32_t found_ = 0;  // where Find was last
  // Of the last TryEmplace; null before it.
  Value* added_ = nullptr;
  std::string name_;
  Hash128 key_;
};

}  // namespace turnlog
