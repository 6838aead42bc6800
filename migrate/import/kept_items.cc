#include "migrate/import/kept_items.h"

#include <utility>

#include "schema/event/encoded_size.h"

namespace turnlog {

class KeptItems::Reader final : public SourceReader {
 public:
  explicit Reader(std::vector<Kept>& kept) : kept_(kept) {}

  Result<SourceItem> Next() override {
    if (next_ == kept_.size()) return EndOfSource();
    Kept& kept = kept_[next_++];
    if (!kept.is_event) return SourcePart{.conversation = kept.item.conversation, .name = {}, .bytes = {}};
    event_ = std::move(kept.event);
    SourceEvent item = std::move(kept.item);
    item.event = View(event_);
    item.own = &event_;
    return item;
  }

 private:
  std::vector<Kept>& kept_;
  std::size_t next_ = 0;
  Event event_;
};

void KeptItems::Keep(SourceItem& item) {
  if (too_many_) return;
  if (auto* event = std::get_if<SourceEvent>(&item)) KeepEvent(*event);
  if (const auto* part = std::get_if<SourcePart>(&item)) {
    Kept& kept = kept_.emplace_back();
    kept.is_event = false;
    kept.item.conversation = Intern(part->conversation);
  }
}

void KeptItems::KeepEvent(SourceEvent& item) {
  bytes_ += sizeof(Kept) + EncodedSizeBound(item.event);
  if (bytes_ > limit_) {
    too_many_ = true;
    kept_ = {};
    return;
  }
  Kept& kept = kept_.emplace_back();
  kept.event = item.own != nullptr ? std::move(*item.own) : Own(item.event);
  kept.item = std::move(item);
  kept.item.event = {};
  kept.item.conversation = Intern(kept.item.conversation);
  kept.item.location.file = Intern(kept.item.location.file);
}

// A copy that lives as long as this object.
std::string_view KeptItems::Intern(std::string_view text) {
  const auto found = names_.find(text);
  return found != names_.end() ? *found : *names_.emplace(text).first;
}

std::unique_ptr<SourceReader> KeptItems::Replay() { return std::make_unique<Reader>(kept_); }

}  // namespace turnlog
