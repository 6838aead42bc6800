#include "doctor/message_blocks.h"

#include <algorithm>
#include <utility>

namespace turnlog {

MessageBlocks::MessageBlocks(std::string_view content) {
  for (const std::string_view text : ElementsOf(content)) {
    MessageBlock block{.text = text};
    if (auto object = JsonObject::Parse(text)) block.object = *std::move(object);
    block.type = block.object.String("type").value_or(std::string());
    blocks_.push_back(std::move(block));
  }
}

bool MessageBlocks::AllDropped() const {
  return !blocks_.empty() && std::ranges::all_of(blocks_, &MessageBlock::dropped);
}

// Each goes with the comma before it, but those at the beginning with the comma after them.
void MessageBlocks::Write(const SessionRecord& record, TextEdits& edits) const {
  bool kept = false;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::string_view text = blocks_[i].text;
    if (!blocks_[i].dropped) {
      kept = true;
    } else if (kept) {
      edits.Remove(record.End(blocks_[i - 1].text), record.End(text));
    } else {
      edits.Remove(record.Begin(text), record.Begin(blocks_[i + 1].text));
    }
  }
}

}  // namespace turnlog
