#include "migrate/claude_code/queued_prompts.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/hash.h"

namespace turnlog {
namespace {

using Version = std::array<std::uint32_t, 3>;

constexpr Version kWritesAttachments{2, 1, 101};

// Zeros for what is no number.
Version ReadVersion(std::string_view text) {
  Version version{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::uint32_t& part : version) {
    at = std::from_chars(at, end, part).ptr;
    if (at == end || *at++ != '.') break;
  }
  return version;
}

}  // namespace

void ClaudeQueuedPrompts::See(const JsonObject& record) {
  if (!IsJsonString(record["version"])) return;
  const Version version = ReadVersion(UnescapeJson(record["version"]));
  only_in_queue_ = version != Version{} && version < kWritesAttachments;
}

// With a reason, the version is a newer one.
bool ClaudeQueuedPrompts::HasLeft(const JsonObject& record) const {
  return only_in_queue_ && record.String("operation") == "remove" && record["reason"].empty();
}

bool ClaudeQueuedPrompts::Take(Record record, std::string_view text) {
  constexpr std::size_t kRemembered = 8;
  const std::uint64_t hash = Hash64(text);
  const auto kind = static_cast<std::uint64_t>(record);
  const auto other =
      std::ranges::find_if(prompts_, [&](const RecentText& each) { return each.hash == hash && each.record != kind; });
  if (other != prompts_.end()) return prompts_.erase(other), true;
  prompts_.Remember({hash, kind}, kRemembered);
  return false;
}

void ClaudeQueuedPrompts::Save(std::string& out) const {
  AppendVarint(out, only_in_queue_ ? 1 : 0);
  prompts_.Save(out);
}

void ClaudeQueuedPrompts::Restore(Decoder& in) {
  only_in_queue_ = in.Varint() > 0;
  prompts_.Restore(in, static_cast<std::uint64_t>(Record::kAttachment));
}

}  // namespace turnlog
