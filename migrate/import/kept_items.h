// Keeps what a reader returns, so that a source that fits into memory is parsed only once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrate/import/source_reader.h"

namespace turnlog {

class KeptItems {
 public:
  // Keeps up to about `limit` bytes of events.
  explicit KeptItems(std::size_t limit) : limit_(limit) {}

  // Takes the contents of the item.
  void Keep(SourceItem& item);
  // Whether all items were kept.
  bool all() const { return !too_many_; }
  // Returns the kept items, without what only a survey needs. Once; must not outlive this object.
  std::unique_ptr<SourceReader> Replay();

 private:
  class Reader;

  struct Kept {
    std::optional<HeldEvent> event;  // none: a part
    std::string_view conversation;
    std::optional<Seq> seq;
    SourceLocation location;
    std::unique_ptr<const std::pair<std::string, ImportReason>> reasons;  // problem and note, if there is one
    bool redacted = false;
    std::uint64_t size = 0;
  };

  Kept& Add();
  void KeepEvent(SourceEvent& item);
  std::string_view Intern(std::string_view text);

  const std::size_t limit_;
  std::size_t items_ = 0;
  std::size_t taken_bytes_ = 0;  // of events that brought their texts along
  HeldEvents copies_;
  bool too_many_ = false;
  std::set<std::string, std::less<>> names_;  // of conversations
  std::string_view last_name_;
  static constexpr std::size_t kBlockLength = 32;
  std::deque<std::vector<Kept>> blocks_;  // all but the last one are full
};

}  // namespace turnlog
