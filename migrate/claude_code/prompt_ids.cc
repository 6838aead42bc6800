#include "migrate/claude_code/prompt_ids.h"

#include <algorithm>

#include "base/hash.h"
#include "migrate/records/probe_records.h"

namespace turnlog {

bool ClaudePromptIds::Take(Record record, std::string_view uuid, std::string_view text) {
  constexpr std::size_t kRemembered = 32;
  if (!IsUuid(uuid)) return false;
  const std::uint64_t hash = Hash64(text, Hash64(uuid));
  const bool known = std::ranges::any_of(prompts_, [&](const Prompt& each) {
    return each.hash == hash && (record == Record::kAttachment || each.record == Record::kAttachment);
  });
  if (known) return true;
  prompts_.push_back({hash, record});
  if (prompts_.size() > kRemembered) prompts_.pop_front();
  return false;
}

void ClaudePromptIds::Save(std::string& out) const {
  AppendVarint(out, prompts_.size());
  for (const Prompt& prompt : prompts_) {
    AppendVarint(out, static_cast<std::uint64_t>(prompt.record));
    AppendBig(out, prompt.hash);
  }
}

void ClaudePromptIds::Restore(Decoder& in) {
  for (std::uint64_t left = in.Varint(); left > 0 && in.ok; --left) {
    const std::uint64_t record = in.Varint();
    in.ok &= record <= static_cast<std::uint64_t>(Record::kAttachment);
    if (in.ok) prompts_.push_back({in.Big(), static_cast<Record>(record)});
  }
}

}  // namespace turnlog
