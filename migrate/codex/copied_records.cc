#include "migrate/codex/copied_records.h"

#include "base/hash.h"

namespace turnlog {

// A resumed session repeats its own session_meta; that of another session begins a copy of it. A copy gets the time at
// which it was made, to the second, and ends where a turn of this session begins.
bool CopiedRecords::Take(std::string_view type, const JsonObject& payload, std::optional<Timestamp> time) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (type == "session_meta") {
    const std::uint64_t id = Hash64(payload.String("id").value_or(""));
    if (!thread_) thread_ = id;
    if (id != *thread_) copied_at_ = time.value_or(Timestamp{});
    return copying();
  }
  if (!copied_at_) return false;
  const bool starts_turn = type == "event_msg" && payload.String("type") == "task_started";
  const bool later = time && time->nanos >= copied_at_->nanos + kSecond;
  if (starts_turn || later) copied_at_.reset();
  return copying();
}

void CopiedRecords::Save(std::string& out) const {
  AppendVarint(out, thread_ ? 1 : 0);
  AppendBig(out, thread_.value_or(0));
  AppendVarint(out, copied_at_ ? 1 : 0);
  AppendVarint(out, ZigZag(copied_at_.value_or(Timestamp{}).nanos));
}

void CopiedRecords::Restore(Decoder& in) {
  const bool has_thread = in.Varint() > 0;
  if (const std::uint64_t thread = in.Big(); has_thread) thread_ = thread;
  const bool copying = in.Varint() > 0;
  if (const std::int64_t copied_at = UnZigZag(in.Varint()); copying) copied_at_ = Timestamp{copied_at};
}

}  // namespace turnlog
