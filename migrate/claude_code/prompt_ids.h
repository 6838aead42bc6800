// What the user typed while the agent worked may be recorded twice: as an attachment, and as a message whose uuid the
// attachment names.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/coding.h"

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
  struct Prompt {
    std::uint64_t hash;  // of the uuid and the text
    Record record;
  };

  std::deque<Prompt> prompts_;  // the latest
};

}  // namespace turnlog
