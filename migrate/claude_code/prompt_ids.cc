#include "migrate/claude_code/prompt_ids.h"

#include <algorithm>

#include "base/hash.h"
#include "migrate/records/probe_records.h"

namespace turnlog {

bool ClaudePromptIds::Take(Record record, std::string_view uuid, std::string_view text) {
  constexpr std::size_t kRemembered = 32;
  if (!IsUuid(uuid)) return false;
  const std::uint64_t hash = Hash64(text, Hash64(uuid));
  constexpr auto kAttachment = static_cast<std::uint64_t>(Record::kAttachment);
  const auto kind = static_cast<std::uint64_t>(record);
  const bool known = std::ranges::any_of(prompts_, [&](const RecentText& each) {
    return each.hash == hash && (kind == kAttachment || each.record == kAttachment);
  });
  if (known) return true;
  prompts_.Remember({hash, kind}, kRemembered);
  return false;
}

void ClaudePromptIds::Save(std::string& out) const { prompts_.Save(out); }

void ClaudePromptIds::Restore(Decoder& in) { prompts_.Restore(in, static_cast<std::uint64_t>(Record::kAttachment)); }

}  // namespace turnlog
