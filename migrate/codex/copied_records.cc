#include "migrate/codex/copied_records.h"

#include <charconv>

#include "base/hash.h"
#include "migrate/records/probe_records.h"

namespace turnlog {
namespace {

constexpr std::int64_t kCopySecond = 1'000'000'000;

std::optional<std::uint64_t> ReadNumber(std::string_view text, int base = 10) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// When a UUID of version 7 was made, in milliseconds.
std::optional<std::uint64_t> TimeOfUuid(std::string_view id) {
  constexpr std::size_t kVersion = 14, kHigh = 8, kLow = 4;
  if (!IsUuid(id) || id[kVersion] != '7') return std::nullopt;
  return ReadNumber(std::string(id.substr(0, kHigh)).append(id.substr(kHigh + 1, kLow)), 16);
}

void AppendOptional(std::string& out, std::optional<std::uint64_t> number) {
  AppendVarint(out, number ? 1 : 0);
  AppendBig(out, number.value_or(0));
}

std::optional<std::uint64_t> ReadOptional(Decoder& in) {
  const bool has_number = in.Varint() > 0;
  const std::uint64_t number = in.Big();
  return has_number ? std::optional(number) : std::nullopt;
}

}  // namespace

// A resumed session repeats its own session_meta; that of another session begins a copy of it. A copy gets the time at
// which it was made, to the second, and ends where a turn of this session begins. A newer session_meta says itself
// which records are copies, of a session that it does not repeat.
bool CopiedRecords::Take(const JsonObject& record, const JsonObject& payload, std::optional<Timestamp> time) {
  if (keeps_all_) return false;
  if (record.String("type") == "session_meta") {
    TakeMeta(payload, time);
  } else if (copying() && IsOwn(record, payload, time)) {
    copied_at_.reset();
    own_from_.reset();
  }
  return copying();
}

void CopiedRecords::TakeMeta(const JsonObject& meta, std::optional<Timestamp> time) {
  const std::string id = meta.String("id").value_or("");
  if (!thread_) {
    thread_ = Hash64(id);
    thread_begun_ = TimeOfUuid(id);
    own_from_ = ReadNumber(meta["subagent_history_start_ordinal"]);
  }
  if (Hash64(id) != *thread_) copied_at_ = time.value_or(Timestamp{});
}

bool CopiedRecords::IsOwn(const JsonObject& record, const JsonObject& payload, std::optional<Timestamp> time) {
  if (own_from_) {
    if (const auto ordinal = ReadNumber(record["ordinal"])) return *ordinal >= *own_from_;
    own_from_.reset();
    if (!copied_at_) return true;
  }
  if (time && time->nanos >= copied_at_->nanos + kCopySecond) return true;
  return record.String("type") == "event_msg" && payload.String("type") == "task_started" && IsOwnTurn(payload, time);
}

// The copied turns have begun before this session, which their ids or times tell. Without these, a copy is taken to
// have one time: of several turns that begin at it, none is known to be the session's own.
bool CopiedRecords::IsOwnTurn(const JsonObject& started, std::optional<Timestamp> time) const {
  const auto turn = TimeOfUuid(started.String("turn_id").value_or(""));
  if (turn && thread_begun_) return *turn >= *thread_begun_;
  const auto copied_in = static_cast<std::uint64_t>(copied_at_->nanos / kCopySecond);
  if (const auto begun = ReadNumber(started["started_at"]); begun && *begun < copied_in) return false;
  return !time || time->nanos > copied_at_->nanos;
}

void CopiedRecords::Save(std::string& out) const {
  AppendOptional(out, thread_);
  AppendOptional(out, thread_begun_);
  AppendVarint(out, copied_at_ ? 1 : 0);
  AppendVarint(out, ZigZag(copied_at_.value_or(Timestamp{}).nanos));
  AppendOptional(out, own_from_);
}

void CopiedRecords::Restore(Decoder& in) {
  thread_ = ReadOptional(in);
  thread_begun_ = ReadOptional(in);
  const bool copying = in.Varint() > 0;
  if (const std::int64_t copied_at = UnZigZag(in.Varint()); copying) copied_at_ = Timestamp{copied_at};
  own_from_ = ReadOptional(in);
}

}  // namespace turnlog
