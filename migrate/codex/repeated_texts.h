// Codex records what was said more than once: as an item for the model and as an event for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "migrate/records/recent_texts.h"

namespace turnlog {

// Which record has a text. Stored: each is a bit.
enum class TextRecord : std::uint8_t {
  kItem = 1,
  kEvent = 2,
  kCompleted = 4,  // the event of a completed item, which newer sessions have instead
};

// The last texts of one speaker. Only their hashes are kept.
class RepeatedTexts {
 public:
  // Whether a record of another kind had the text before. Each record repeats one other of a kind; an event and a
  // completed item repeat each other only if an item has the text, too.
  bool Take(TextRecord record, std::string_view text);

  void Save(std::string& out) const;
  void Restore(Decoder& in);

 private:
  RecentTexts texts_;  // each with the bits of its records
};

}  // namespace turnlog
