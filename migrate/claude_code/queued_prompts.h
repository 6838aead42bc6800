// What the user typed while the agent worked, where only the queue of Claude Code has it: versions before 2.1.101 wrote
// no attachment when they took a prompt from the queue for the turn that was running.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "migrate/records/json_object.h"
#include "migrate/records/recent_texts.h"

namespace turnlog {

class ClaudeQueuedPrompts {
 public:
  // Of the version that wrote what follows.
  void See(const JsonObject& record);
  // Whether the record says that a prompt left the queue for the turn.
  bool HasLeft(const JsonObject& record) const;

  enum class Record : std::uint8_t { kQueue, kAttachment };
  // Whether the text is known from a record of the other kind, which is used up; otherwise it is from now on.
  bool Take(Record record, std::string_view text);

  void Save(std::string& out) const;
  void Restore(Decoder& in);

 private:
  bool only_in_queue_ = false;
  RecentTexts prompts_;
};

}  // namespace turnlog
