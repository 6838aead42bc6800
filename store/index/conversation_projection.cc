#include "store/index/conversation_projection.h"

#include <algorithm>
#include <utility>

namespace turnlog {
namespace {

// The last `length % kBlockLength` values: those of the incomplete block.
template <class T>
std::vector<T> Unfinished(const std::vector<T>& values, std::uint64_t length) {
  return {values.end() - static_cast<std::ptrdiff_t>(length % kBlockLength), values.end()};
}

// Most conversations are short: one allocation for the first four values.
template <class T>
void Append(std::vector<T>& values, const T& value) {
  constexpr std::size_t kFew = 4;
  if (values.capacity() == 0) values.reserve(kFew);
  values.push_back(value);
}

}  // namespace

ConversationProjection::ConversationProjection(ConversationEntry start)
    : state_(std::move(start.state)),
      start_seq_(state_.last_seq),
      had_open_(!state_.open.empty()),
      first_seq_(state_.last_seq - start.last_block.size() + 1),
      frames_(std::move(start.last_block)),
      first_turn_(state_.turns - start.last_turns.size() + 1),
      turn_starts_(std::move(start.last_turns)),
      first_repair_(state_.repairs - start.last_repairs.size() + 1),
      repairs_(std::move(start.last_repairs)) {}

bool ConversationProjection::Apply(std::uint64_t seq, FrameRef ref, const IndexedFields& fields) {
  if (seq <= state_.last_seq) return false;
  // Skipped seqs are missing.
  frames_.resize(seq - first_seq_, {.turn = static_cast<std::uint32_t>(state_.turns)});
  state_.last_seq = seq;
  state_.end = ref.end();
  state_.bytes += fields.bytes;
  if (fields.time && !state_.first_time) state_.first_time = fields.time;
  if (fields.time) state_.last_time = fields.time;
  if (fields.kind == EventKind::kTurnStart) {
    ++state_.turns;
    Append(turn_starts_, seq);
    state_.open.StartTurn();
  }
  ref.turn = static_cast<std::uint32_t>(state_.turns);
  Append(frames_, ref);
  if (fields.event_id) event_ids_.TryEmplace(*fields.event_id, seq);
  if (fields.inquiry) ApplyInquiry(seq, fields);
  if (fields.repair) {
    ++state_.repairs;
    repairs_.push_back({{seq}, fields.repair->first, fields.repair->last});
  }
  return true;
}

void ConversationProjection::ApplyInquiry(std::uint64_t seq, const IndexedFields& fields) {
  std::vector<InquiryRef>& known = inquiries_.TryEmplace(*fields.inquiry).first;
  const std::string key = OpenInquiryKey(*fields.inquiry);
  if (fields.kind == EventKind::kInquiryRequest) {
    state_.open.Open(key, seq, fields.secret);
    known.push_back({.turn = state_.turns, .request = seq});
    return;
  }
  const auto closed = state_.open.Close(key);
  const InquiryRef found{.turn = state_.turns, .request = closed ? closed->seq : 0, .response = seq};
  MergeInquiries(known, {&found, 1});
}

ConversationProjection ConversationProjection::Continue() const {
  return ConversationProjection({state_, Unfinished(frames_, state_.last_seq), Unfinished(turn_starts_, state_.turns),
                                 Unfinished(repairs_, state_.repairs)});
}

void MergeInquiries(std::vector<InquiryRef>& into, std::span<const InquiryRef> later) {
  for (const InquiryRef& ref : later) {
    const auto same = std::ranges::lower_bound(into, ref.first(), {}, &InquiryRef::first);
    if (same == into.end() || same->first() != ref.first()) {
      into.insert(same, ref);
    } else if (ref.response != 0) {
      same->response = ref.response;
    }
  }
}

}  // namespace turnlog
