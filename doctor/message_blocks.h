// The blocks of a message, some of which may be left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/diagnosis.h"
#include "migrate/records/json_object.h"

namespace turnlog {

struct MessageBlock {
  std::string_view text;
  JsonObject object;
  std::string type;
  bool dropped = false;
};

class MessageBlocks {
 public:
  // `content`: the value of the message's field; without blocks if it is no array.
  explicit MessageBlocks(std::string_view content);

  std::vector<MessageBlock>& blocks() { return blocks_; }
  bool AllDropped() const;
  // Edits the dropped ones away. REQUIRES: not all are dropped.
  void Write(const SessionRecord& record, TextEdits& edits) const;

 private:
  std::vector<MessageBlock> blocks_;
};

}  // namespace turnlog
