// What the sanitized view of a conversation is made of.
#pragma once

#include <memory>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

struct Log::RawView {
  Seq last;                          // of the conversation
  Turn turn;                         // the last one
  std::vector<RepairRange> repairs;  // up to `last`
  std::unique_ptr<Cursor> events;    // as ReadRaw gives them; possibly also later ones
};

}  // namespace turnlog
