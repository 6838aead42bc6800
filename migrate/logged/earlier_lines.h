// What the log has of a file's earlier lines, for a reader that goes on after them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "turnlog/event.h"
#include "turnlog/types.h"

namespace turnlog {

class EarlierLines {
 public:
  virtual ~EarlierLines() = default;
  // The seq of the conversation's next event. Nothing: only all of its lines show that, or whether it fits to them.
  virtual std::optional<Seq> NextSeq(std::string_view conversation) = 0;
  // Whether the event can be read without the lines before it: it repeats no event, and answers no earlier question for
  // a secret.
  virtual bool IsIndependent(std::string_view conversation, const EventView& event) = 0;
};

// Where reading begins.
struct LinesStart {
  std::uint64_t offset = 0, line = 1;
  EarlierLines* earlier = nullptr;  // null: there are no lines before
  bool within_line = false;         // after a line whose break was not written yet
};

}  // namespace turnlog
