#include "migrate/import/open_conversation.h"

namespace turnlog {
namespace {

constexpr std::uint64_t kFewEvents = 4;  // many conversations may wait at once

}  // namespace

void OpenConversation::Add(SourceEvent&& event) {
  ++added_;
  const std::size_t room = waiting_.capacity();
  if (room == 0) waiting_.reserve(std::min(import.events(), kFewEvents));
  bytes_ += event.event.payload.size();
  waiting_.push_back({.held = event.TakeEvent(),
                      .seq = event.seq.value_or(Seq{0}),
                      .location = event.location,
                      .remarks = std::move(event.remarks)});
  bytes_ += (waiting_.capacity() - room) * sizeof(WaitingEvent);
}

std::vector<WaitingEvent> OpenConversation::Take() {
  bytes_ = 0;
  return std::exchange(waiting_, {});
}

}  // namespace turnlog
