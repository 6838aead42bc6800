// The damage that a tool has met, for the end of what it returns: an answer without what is lost may be wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "turnlog/damage.h"

namespace turnlog {

class DamageNotes {
 public:
  void Add(const Damage& damage);
  bool empty() const { return count_ == 0; }
  // The first ones with their locations, and how many there are.
  std::string Text() const;

 private:
  static constexpr std::size_t kMostShown = 8;

  std::uint64_t count_ = 0;
  std::vector<std::string> shown_;
};

}  // namespace turnlog
