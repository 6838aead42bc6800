// What the index keeps of a conversation, as a pure fold over its events: where they are, where turns begin, which
// inquiries there were and which are open, which event ids are taken.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "schema/event/open_inquiries.h"
#include "turnlog/event.h"
#include "turnlog/log.h"
#include "turnlog/types.h"

namespace turnlog {

// Seqs are indexed in aligned runs: run r holds the places of seqs r * 16 + 1 .. r * 16 + 16. Turns likewise.
inline constexpr std::uint64_t kBlockLength = 16;

struct FrameRef {
  std::uint64_t position = 0;
  std::uint32_t length_in_words = 0;  // of 8 bytes; 0: no record of this seq was found
  std::uint32_t turn = 0;             // that the event belongs to

  bool missing() const { return length_in_words == 0; }
  std::uint64_t end() const { return position + std::uint64_t{length_in_words} * 8; }
  bool operator==(const FrameRef&) const = default;
};

// One asking of an inquiry; 0 = none.
struct InquiryRef {
  std::uint64_t turn = 0, request = 0, response = 0;
  std::uint64_t first() const { return request != 0 ? request : response; }  // of its seqs
  bool operator==(const InquiryRef&) const = default;
};

// What a `repair` event says of itself.
struct RepairRange {
  std::uint64_t from = 0, to = 0;
  bool operator==(const RepairRange&) const = default;
};

// What the fold needs to know of an event. Ids only as hashes: the index holds no content.
struct IndexedFields {
  EventKind kind = EventKind::kUnknown;
  std::uint64_t bytes = 0;  // of the payload
  std::optional<Timestamp> time;
  std::optional<Hash128> event_id;
  std::optional<Hash128> inquiry;     // of a request or response
  bool secret = false;                // request: the answer is a secret
  bool answered = false;              // response: carries an answer in clear
  std::optional<RepairRange> repair;  // of a `repair` event that says what it should
};

IndexedFields IndexedFieldsOf(const EventView& event, std::uint64_t payload_bytes, std::uint64_t salt);

std::string OpenInquiryKey(const Hash128& inquiry);

struct ConversationState {
  std::uint32_t number = 0;
  std::string name;
  std::uint64_t last_seq = 0, turns = 0, bytes = 0;
  std::optional<Timestamp> first_time, last_time;
  OpenInquiries open;         // ids are OpenInquiryKey
  std::uint64_t repairs = 0;  // number of `repair` events
  std::uint64_t end = 0;      // position behind its last record; not stored, 0: before the last checkpoint
};

class ConversationProjection {
 public:
  // Starts at `state`; the runs of seqs and of turns hold what the next ones continue.
  ConversationProjection(ConversationState state, std::vector<FrameRef> last_block,
                         std::vector<std::uint64_t> last_turns);

  // Takes in the next event. Seqs left out are noted as missing; false if `seq` is already there.
  bool Apply(std::uint64_t seq, FrameRef place, const IndexedFields& fields);

  // The fold that goes on behind this one.
  ConversationProjection Continue() const;

  const ConversationState& state() const { return state_; }
  bool is_new() const { return start_seq_ == 0; }              // there was nothing of it when it started
  bool grown() const { return state_.last_seq > start_seq_; }  // since it started
  bool had_open() const { return had_open_; }                  // when it started
  std::uint64_t first_seq() const { return first_seq_; }       // of frames()
  const std::vector<FrameRef>& frames() const { return frames_; }
  std::uint64_t first_turn() const { return first_turn_; }  // of turn_starts()
  const std::vector<std::uint64_t>& turn_starts() const { return turn_starts_; }
  const std::unordered_map<Hash128, std::vector<InquiryRef>>& inquiries() const { return inquiries_; }
  const std::unordered_map<Hash128, std::uint64_t>& event_ids() const { return event_ids_; }
  const std::vector<RepairPlace>& repairs() const { return repairs_; }

 private:
  void ApplyInquiry(std::uint64_t seq, const IndexedFields& fields);

  ConversationState state_;
  std::uint64_t start_seq_;
  bool had_open_;
  std::uint64_t first_seq_;
  std::vector<FrameRef> frames_;
  std::uint64_t first_turn_;
  std::vector<std::uint64_t> turn_starts_;
  std::unordered_map<Hash128, std::vector<InquiryRef>> inquiries_;
  std::unordered_map<Hash128, std::uint64_t> event_ids_;
  std::vector<RepairPlace> repairs_;
};

// Adds later findings to earlier ones, all of them ordered by the request, or the response if there is none: a known
// request gets its response. Findings that are there already change nothing.
void MergeInquiries(std::vector<InquiryRef>& into, std::span<const InquiryRef> later);

}  // namespace turnlog
