#include "migrate/claude_code/kept_turns.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/hash.h"
#include "migrate/records/probe_records.h"
#include "schema/json/json_string.h"

namespace turnlog {
namespace {

// Of the messages that the boundary of a compaction keeps, as a session's file and `stream-json` spell it.
std::set<std::uint64_t> HashesOfKept(const JsonObject& boundary) {
  const bool stream = boundary["compactMetadata"].empty();
  const JsonObject metadata = boundary.Object(stream ? "compact_metadata" : "compactMetadata");
  const JsonObject messages = metadata.Object(stream ? "preserved_messages" : "preservedMessages");
  const JsonObject segment = metadata.Object(stream ? "preserved_segment" : "preservedSegment");
  std::set<std::uint64_t> hashes;
  for (const std::string_view list : {messages["uuids"], messages[stream ? "all_uuids" : "allUuids"]}) {
    for (const std::string_view uuid : ElementsOf(list)) {
      if (IsJsonString(uuid)) hashes.insert(Hash64(UnescapeJson(uuid)));
    }
  }
  if (const auto head = segment.String(stream ? "head_uuid" : "headUuid")) hashes.insert(Hash64(*head));
  return hashes;
}

}  // namespace

void ClaudeKeptTurns::Begin(std::string_view uuid, std::uint64_t turn) {
  constexpr std::size_t kRemembered = 16;  // what is kept are the last messages, of a few turns
  if (!IsUuid(uuid)) return;
  turns_.push_back({Hash64(uuid), turn});
  if (turns_.size() > kRemembered) turns_.pop_front();
}

void ClaudeKeptTurns::SeeBoundary(const JsonObject& record) {
  kept_.reset();
  const std::set<std::uint64_t> hashes = HashesOfKept(record);
  for (const Turn& each : turns_) {
    if (!hashes.contains(each.hash)) continue;
    if (!kept_) kept_ = Turns{each.turn, each.turn};
    kept_->to = each.turn;
  }
}

std::optional<ClaudeKeptTurns::Turns> ClaudeKeptTurns::TakeReplaced(std::uint64_t turns) {
  const std::optional<Turns> kept = std::exchange(kept_, std::nullopt);
  if (turns == 0) return std::nullopt;
  const Turns all{0, turns - 1};
  if (!kept) return all;
  if (kept->from > 0) return Turns{0, kept->from - 1};
  return kept->to < all.to ? std::optional(Turns{kept->to + 1, all.to}) : std::nullopt;
}

void ClaudeKeptTurns::Save(std::string& out) const {
  AppendVarint(out, turns_.size());
  for (const auto& [hash, turn] : turns_) AppendBig(out, hash), AppendVarint(out, turn);
  AppendVarint(out, kept_ ? kept_->to + 1 : 0);
  if (kept_) AppendVarint(out, kept_->from);
}

void ClaudeKeptTurns::Restore(Decoder& in) {
  for (std::uint64_t left = in.Varint(); left > 0 && in.ok; --left) {
    const std::uint64_t hash = in.Big();
    turns_.push_back({hash, in.Varint()});
  }
  const std::uint64_t end = in.Varint();
  if (end > 0) kept_ = Turns{in.Varint(), end - 1};
}

}  // namespace turnlog
