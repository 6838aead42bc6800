#include "history/turn.h"

#include <utility>
#include <variant>

namespace turnlog {
namespace {

void TakeInquiryId(TurnItem& item, const InquiryIdView& id) {
  item.id = id.text;
  if (!id.key) return;
  item.key = InquiryKey{std::string(id.key->tool_call), std::string(id.key->question), id.key->attempt};
}

struct TakeIds {
  TurnItem& item;

  void operator()(const ToolCallRequestView& body) const { item.id = body.id; }
  void operator()(const ToolCallResponseView& body) const { item.id = body.id; }
  void operator()(const InquiryRequestView& body) const { TakeInquiryId(item, body.id); }
  void operator()(const InquiryResponseView& body) const { TakeInquiryId(item, body.id); }
  void operator()(const auto&) const {}
};

}  // namespace

std::size_t TurnFold::Add(Seq seq, const EventView& event) {
  const std::size_t index = items_.size();
  TurnItem& item = items_.emplace_back(TurnItem{.seq = seq, .kind = event.kind(), .time = event.timestamp});
  std::visit(TakeIds{item}, event.body);
  switch (item.kind) {
    case EventKind::kToolCallRequest:
      calls_.Open(item.id, index);
      break;
    case EventKind::kToolCallResponse:
      Close(calls_, index);
      break;
    case EventKind::kInquiryRequest:
      inquiries_.Open(item.id, index);
      break;
    case EventKind::kInquiryResponse:
      Close(inquiries_, index);
      break;
    case EventKind::kTurnStart:
    case EventKind::kChatRequest:
    case EventKind::kChatResponse:
    case EventKind::kConfigDelta:
    case EventKind::kCompaction:
    case EventKind::kRepair:
    case EventKind::kRedaction:
    case EventKind::kUnknown:
      break;
  }
  return index;
}

std::size_t TurnFold::AddErased(Seq seq, EventKind kind) {
  items_.push_back({.seq = seq, .kind = kind, .erased = true});
  return items_.size() - 1;
}

void TurnFold::Close(OpenRequests& open, std::size_t index) {
  const auto request = open.Close(items_[index].id);
  if (!request) return;
  items_[index].partner = *request;
  items_[*request].partner = index;
}

bool TurnFold::Complete(Seq from) const {
  bool answered = false;
  for (const TurnItem& item : items_) {
    if (item.seq < from) continue;
    const bool request = item.kind == EventKind::kToolCallRequest || item.kind == EventKind::kInquiryRequest;
    if (request && !item.paired() && !item.erased) return false;
    if (item.kind == EventKind::kChatResponse) answered = true;
    if (item.kind == EventKind::kToolCallResponse) answered = false;
  }
  return answered;
}

}  // namespace turnlog
