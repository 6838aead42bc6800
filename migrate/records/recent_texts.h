// The latest texts of a source, each known by its hash, to see which records say the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>

#include "base/coding.h"

namespace turnlog {

struct RecentText {
  std::uint64_t hash = 0;
  std::uint64_t record = 0;  // what kind of record has it, as its owner says
};

class RecentTexts : public std::deque<RecentText> {
 public:
  // Forgets the oldest one if there are more than `most`.
  void Remember(RecentText text, std::size_t most);

  void Save(std::string& out) const;
  // `greatest`: of `record`; `in` is not ok if there is a greater one.
  void Restore(Decoder& in, std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max());
};

}  // namespace turnlog
