#include "migrate/import/kept_items.h"

#include <utility>

#include "schema/event/encoded_size.h"

namespace turnlog {

class KeptItems::Reader final : public SourceReader {
 public:
  explicit Reader(std::deque<std::vector<Kept>>& blocks) : blocks_(blocks) {}

  Result<SourceItem> Next() override {
    if (!blocks_.empty() && next_ == blocks_.front().size()) {
      blocks_.pop_front();
      next_ = 0;
    }
    if (blocks_.empty()) return EndOfSource();
    Kept& kept = blocks_.front()[next_++];
    if (!kept.event) return SourcePart{.conversation = kept.conversation, .name = {}, .bytes = {}};
    SourceEvent item{.conversation = kept.conversation,
                     .seq = kept.seq,
                     .event = std::move(kept.event->event),
                     .location = kept.location,
                     .problem = kept.reasons ? kept.reasons->first : std::string(),
                     .note = kept.reasons ? kept.reasons->second : ImportReason(),
                     .redacted = kept.redacted,
                     .size = kept.size};
    item.texts = std::move(kept.event->texts);
    return item;
  }

 private:
  std::deque<std::vector<Kept>>& blocks_;
  std::size_t next_ = 0;  // in the first block
};

void KeptItems::Keep(SourceItem& item) {
  if (too_many_) return;
  if (auto* event = std::get_if<SourceEvent>(&item)) KeepEvent(*event);
  if (const auto* part = std::get_if<SourcePart>(&item)) {
    Add().conversation = Intern(part->conversation);
  }
}

KeptItems::Kept& KeptItems::Add() {
  ++items_;
  if (blocks_.empty() || blocks_.back().size() == kBlockLength) blocks_.emplace_back().reserve(kBlockLength);
  return blocks_.back().emplace_back();
}

void KeptItems::KeepEvent(SourceEvent& item) {
  if (item.HasTexts()) taken_bytes_ += EncodedSizeBound(item.event);
  Kept& kept = Add();
  kept.event = item.TakeEvent(copies_);
  if (items_ * sizeof(Kept) + taken_bytes_ + copies_.bytes() > limit_) {
    too_many_ = true;
    blocks_.clear();
    copies_ = {};
    return;
  }
  kept.conversation = Intern(item.conversation);
  kept.seq = item.seq;
  kept.location = item.location;
  if (!item.problem.empty() || !item.note.empty()) {
    kept.reasons = std::make_unique<const std::pair<std::string, ImportReason>>(item.problem, item.note);
  }
  kept.redacted = item.redacted;
  kept.size = item.size;
}

// A copy that lives as long as this object.
std::string_view KeptItems::Intern(std::string_view text) {
  if (text == last_name_) return last_name_;
  const auto found = names_.find(text);
  return last_name_ = found != names_.end() ? *found : *names_.emplace(text).first;
}

std::unique_ptr<SourceReader> KeptItems::Replay() { return std::make_unique<Reader>(blocks_); }

}  // namespace turnlog
