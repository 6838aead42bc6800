#include <algorithm>
#include <map>
#include <utility>

#include "base/try.h"
#include "turnlog/inquiry/turn_recorder.h"

namespace turnlog {
namespace {

// Which of the pending inquiries the sanitized view of a conversation has as open.
class RepairedState {
 public:
  static Result<RepairedState> Load(Log& log, const std::string& conversation) {
    const auto id = TURNLOG_TRY(ConversationId::Parse(conversation));
    RepairedState view;
    if (TURNLOG_TRY(log.Repairs(id)).empty()) return view;
    view.state_ = TURNLOG_TRY(LoadTurnState(log, id));
    return view;
  }

  bool HasOpen(Seq request) const {
    if (!state_) return true;  // nothing was repaired
    return std::ranges::any_of(state_->questions(),
                               [&](const InquiryState* inquiry) { return inquiry->asked == request; });
  }

 private:
  std::optional<TurnState> state_;
};

}  // namespace

Result<std::vector<PendingInquiry>> OpenInquiries(Log& log, const std::optional<ConversationId>& conversation) {
  std::vector<PendingInquiry> open;
  std::map<std::string, RepairedState> views;
  for (PendingInquiry& pending : TURNLOG_TRY(log.Pending(conversation))) {
    auto view = views.find(pending.conversation);
    if (view == views.end()) {
      view = views.emplace(pending.conversation, TURNLOG_TRY(RepairedState::Load(log, pending.conversation))).first;
    }
    if (view->second.HasOpen(pending.request)) open.push_back(std::move(pending));
  }
  return open;
}

}  // namespace turnlog
