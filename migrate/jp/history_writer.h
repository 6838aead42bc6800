// Writes events as the text of a jp events.json.
#pragma once

#include <string>
#include <string_view>

#include "turnlog/event.h"

namespace turnlog {

// Writes an events.json sequentially.
class JpHistoryWriter {
 public:
  explicit JpHistoryWriter(std::string& out) : out_(out) {}

  void AddConfig(std::string_view packed_config);  // before anything else
  void Add(const EventView& event);
  void Finish(std::string_view trailer);  // empty: the canonical one

 private:
  std::string& out_;
  bool first_ = true;
};

}  // namespace turnlog
