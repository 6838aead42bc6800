#include "store/conversation_fold.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace turnlog {

EventFacts FactsOf(const EventView& event, std::uint64_t payload_bytes, std::uint64_t salt) {
  EventFacts facts{.kind = event.kind(), .bytes = payload_bytes, .time = event.timestamp};
  if (event.event_id) facts.event_id = HashId(*event.event_id, salt);
  if (const auto* request = std::get_if<BasicInquiryRequest<std::string_view>>(&event.body)) {
    facts.inquiry = HashId(request->id.text, salt);
    facts.secret = request->question.answer_type.kind == AnswerKind::kSecret;
  } else if (const auto* response = std::get_if<BasicInquiryResponse<std::string_view>>(&event.body)) {
    facts.inquiry = HashId(response->id.text, salt);
    facts.answered = response->outcome == Outcome::kAnswered;
  }
  return facts;
}

std::string OpenInquiryKey(const Hash128& inquiry) {
  std::string key(sizeof inquiry, '\0');
  std::memcpy(key.data(), &inquiry.low, sizeof inquiry.low);
  std::memcpy(key.data() + sizeof inquiry.low, &inquiry.high, sizeof inquiry.high);
  return key;
}

ConversationFold::ConversationFold(ConversationState state, std::vector<FrameRef> last_run)
    : state_(std::move(state)),
      first_seq_(state_.last_seq - last_run.size() + 1),
      frames_(std::move(last_run)),
      first_turn_(state_.turns + 1) {}

bool ConversationFold::Apply(std::uint64_t seq, FrameRef place, const EventFacts& facts) {
  if (seq <= state_.last_seq) return false;
  frames_.resize(seq - first_seq_);  // what is left out is missing
  frames_.push_back(place);
  state_.last_seq = seq;
  state_.bytes += facts.bytes;
  if (facts.time && !state_.first_time) state_.first_time = facts.time;
  if (facts.time) state_.last_time = facts.time;
  if (facts.kind == EventKind::kTurnStart) {
    ++state_.turns;
    turn_starts_.push_back(seq);
    state_.open.StartTurn();
  }
  if (facts.event_id) event_ids_.emplace(*facts.event_id, seq);
  if (facts.inquiry) ApplyInquiry(seq, facts);
  return true;
}

void ConversationFold::ApplyInquiry(std::uint64_t seq, const EventFacts& facts) {
  std::vector<InquiryRef>& known = inquiries_[*facts.inquiry];
  const std::string key = OpenInquiryKey(*facts.inquiry);
  if (facts.kind == EventKind::kInquiryRequest) {
    state_.open.Open(key, seq, facts.secret);
    known.push_back({.turn = state_.turns, .request = seq});
    return;
  }
  const auto closed = state_.open.Close(key);
  MergeInquiries(known, {{.turn = state_.turns, .request = closed ? closed->seq : 0, .response = seq}});
}

ConversationFold ConversationFold::Continue() const {
  const std::uint64_t partial = state_.last_seq % kRunLength;
  return ConversationFold(state_, {frames_.end() - static_cast<std::ptrdiff_t>(partial), frames_.end()});
}

void MergeInquiries(std::vector<InquiryRef>& into, const std::vector<InquiryRef>& later) {
  for (const InquiryRef& ref : later) {
    const auto same = std::ranges::find_if(into, [&](const InquiryRef& known) {
      return ref.request != 0 ? known.request == ref.request : known.response == ref.response;
    });
    if (same == into.end()) {
      into.push_back(ref);
    } else if (ref.response != 0) {
      same->response = ref.response;
    }
  }
}

}  // namespace turnlog
