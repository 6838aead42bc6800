// What the user typed while the agent worked may be recorded twice: as an attachment, and as a message whose uuid the
// attachment names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "migrate/records/recent_texts.h"

namespace turnlog {

class ClaudePromptIds {
 public:
  enum class Record : std::uint8_t { kMessage, kAttachment };

  // Whether the text is known from another record; otherwise it is from now on. Messages with one uuid are two, and so
  // are other texts.
  bool Take(Record record, std::string_view uuid, std::string_view text);

  void Save(std::string& out) const;
  void Restore(Decoder& in);

 private:
  RecentTexts prompts_;  // hashes of the uuid and the text
};

}  // namespace turnlog
