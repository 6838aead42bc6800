// What the index keeps of a conversation, as a pure fold over its events: their offsets, the starts of turns, all
// inquiries and which are open, and the event ids in use.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/hash_map.h"
#include "log/indexed_fields.h"
#include "schema/event/open_inquiries.h"
#include "turnlog/event.h"
#include "turnlog/log.h"
#include "turnlog/types.h"

namespace turnlog {

// Seqs are indexed in aligned blocks: block b holds the offsets of seqs b * 16 + 1 .. b * 16 + 16. Turns and repairs
// likewise.
inline constexpr std::uint64_t kBlockLength = 16;

struct FrameRef {
  std::uint64_t position = 0;
  std::uint32_t length_in_words = 0;  // of 8 bytes; 0: no record of this seq was found
  std::uint32_t turn = 0;             // of the event

  bool missing() const { return length_in_words == 0; }
  std::uint64_t end() const { return position + std::uint64_t{length_in_words} * 8; }
  bool operator==(const FrameRef&) const = default;
};

// One attempt of an inquiry; 0 = none.
struct InquiryRef {
  std::uint64_t turn = 0, request = 0, response = 0;
  std::uint64_t first() const { return request != 0 ? request : response; }  // of its seqs
  bool operator==(const InquiryRef&) const = default;
};

struct ConversationState {
  std::uint32_t number = 0;
  std::string name;
  std::uint64_t last_seq = 0, turns = 0, bytes = 0;
  std::optional<Timestamp> first_time, last_time;
  OpenInquiries open;         // ids are OpenInquiryKey
  std::uint64_t repairs = 0;  // number of `repair` events
  std::uint64_t end = 0;      // end of its last record; not stored, 0: before the last checkpoint
};

// What is stored in a conversation's own entry: its state, and the incomplete blocks, which its next events continue.
// Most conversations are short and have no other blocks.
struct ConversationEntry {
  ConversationState state;
  std::vector<FrameRef> last_block;       // of the last `last_seq % kBlockLength` events
  std::vector<std::uint64_t> last_turns;  // starts of the last `turns % kBlockLength` turns
  std::vector<RepairRange> last_repairs;  // the last `repairs % kBlockLength`
};

class ConversationProjection {
 public:
  explicit ConversationProjection(ConversationEntry start);

  // Adds the next event. Skipped seqs are recorded as missing; false if `seq` is already there.
  bool Apply(std::uint64_t seq, FrameRef ref, const IndexedFields& fields);

  // A projection that continues this one.
  ConversationProjection Continue() const;

  const ConversationState& state() const { return state_; }
  bool is_new() const { return start_seq_ == 0; }                  // the conversation did not exist at the start
  bool grown() const { return state_.last_seq > start_seq_; }      // since it started
  bool had_open() const { return had_open_; }                      // when it started
  std::uint64_t first_seq() const { return first_seq_; }           // of frames()
  const std::vector<FrameRef>& frames() const { return frames_; }  // from the beginning of a block on
  std::uint64_t first_turn() const { return first_turn_; }         // of turn_starts()
  const std::vector<std::uint64_t>& turn_starts() const { return turn_starts_; }
  const HashMap<std::vector<InquiryRef>>& inquiries() const { return inquiries_; }
  const HashMap<std::uint64_t>& event_ids() const { return event_ids_; }  // with their seqs
  std::uint64_t first_repair() const { return first_repair_; }            // of repairs(), from 1
  const std::vector<RepairRange>& repairs() const { return repairs_; }

 private:
  void ApplyInquiry(std::uint64_t seq, const IndexedFields& fields);

  ConversationState state_;
  std::uint64_t start_seq_;
  bool had_open_;
  std::uint64_t first_seq_;
  std::vector<FrameRef> frames_;
  std::uint64_t first_turn_;
  std::vector<std::uint64_t> turn_starts_;
  std::uint64_t first_repair_;
  std::vector<RepairRange> repairs_;
  HashMap<std::vector<InquiryRef>> inquiries_;
  HashMap<std::uint64_t> event_ids_;
};

// Merges later records into earlier ones, both ordered by request, or by response if there is no request: a known
// request gets its response. Records that are already there change nothing.
void MergeInquiries(std::vector<InquiryRef>& into, std::span<const InquiryRef> later);

}  // namespace turnlog
