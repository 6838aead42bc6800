#include "store/sql/append_plan.h"

#include <sys/random.h>

#include <algorithm>
#include <string>

namespace turnlog {
namespace {

void PlanInquiry(AppendPlan& plan, std::uint64_t seq, const IndexedFields& fields) {
  ConversationHead& head = plan.after;
  const std::string key = OpenInquiryKey(*fields.inquiry);
  if (fields.kind == EventKind::kInquiryRequest) {
    head.open.Open(key, seq, fields.secret);
    plan.inquiries.push_back({.id = *fields.inquiry, .turn = head.turns, .request = seq, .response = 0});
    return;
  }
  const auto closed = head.open.Close(key);
  const AppendPlan::Inquiry inquiry{
      .id = *fields.inquiry, .turn = head.turns, .request = closed ? closed->seq : 0, .response = seq};
  if (inquiry.request == 0) {
    plan.inquiries.push_back(inquiry);
  } else if (inquiry.request <= plan.before.last_seq) {
    plan.answered.push_back(inquiry);
  } else {
    std::ranges::find(plan.inquiries, inquiry.request, &AppendPlan::Inquiry::request)->response = seq;
  }
}

void PlanEvent(AppendPlan& plan, const PreparedEvents::One& one) {
  ConversationHead& head = plan.after;
  const IndexedFields& fields = one.fields;
  const std::uint64_t seq = head.last_seq = one.result.seq.value;
  head.bytes += fields.bytes;
  if (fields.time && !head.first_time) head.first_time = fields.time;
  if (fields.time) head.last_time = fields.time;
  if (fields.kind == EventKind::kTurnStart) {
    plan.turns.push_back({++head.turns, seq});
    head.open.StartTurn();
  }
  if (fields.event_id) plan.event_ids.push_back({*fields.event_id, seq});
  if (fields.inquiry) PlanInquiry(plan, seq, fields);
  if (fields.repair) {
    ++head.repairs;
    plan.repairs.push_back({{seq}, fields.repair->first, fields.repair->last});
  }
  EventRow& row = plan.events.emplace_back(EventRow{.seq = seq,
                                                    .kind = fields.kind,
                                                    .turn = head.turns,
                                                    .parts = PartsOf(one.payload.size()),
                                                    .payload = one.payload});
  row.checksum = EventChecksum(head.key, row, one.hash);
}

}  // namespace

// From the system each time: two processes after a fork would have the same generator. Not std::random_device, which
// asks the processor: on a virtual machine that may take as long as the append.
std::uint64_t NewAppendTag() {
  std::uint64_t tag = 0;
  while (::getrandom(&tag, sizeof tag, 0) != sizeof tag) {
  }
  return tag >> 1;
}

AppendPlan PlanAppend(const ConversationHead& head, const PreparedEvents& events, std::uint64_t tag) {
  AppendPlan plan{.before = head, .after = head};
  plan.after.tag = tag;
  for (const PreparedEvents::One& one : events.events) {
    if (!one.result.repeated) PlanEvent(plan, one);
  }
  return plan;
}

}  // namespace turnlog
