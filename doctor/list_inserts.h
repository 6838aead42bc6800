// Elements that are inserted at the beginning of the contents of messages.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/diagnosis.h"

namespace turnlog {

class ListInserts {
 public:
  // A `content` that may get blocks: an array, or a text, which becomes one of its blocks.
  struct Target {
    std::uint64_t begin = 0, end = 0;  // of the value
    bool is_text = false, is_empty = false;
  };

  static Target TargetOf(const SessionRecord& record, std::string_view content);
  void Add(const Target& target, std::string block);
  void Write(TextEdits& edits) const;

 private:
  std::map<std::uint64_t, std::pair<Target, std::vector<std::string>>> targets_;
};

}  // namespace turnlog
