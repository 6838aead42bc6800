#include "turnlog/damage.h"

#include <fmt/format.h>

namespace turnlog {

std::string ToString(const Damage& damage) {
  std::string text;
  if (!damage.file.empty()) {
    text = fmt::format("{} byte {}", damage.file, damage.offset);
    if (damage.length > 0) text += fmt::format(" ({} bytes)", damage.length);
    text += ": ";
  }
  text += damage.reason;
  if (!damage.conversation.empty()) {
    text += fmt::format(" [conversation \"{}\"", damage.conversation);
    if (damage.seq > 0) text += fmt::format(", seq {}", damage.seq);
    text += "]";
  }
  return text;
}

}  // namespace turnlog
