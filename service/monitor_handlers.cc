// For those who watch the service.
#include <utility>

#include "base/try.h"
#include "service/handlers.h"

namespace turnlog {

// A store that cannot be written to any more is not healthy: the service must be started again.
Handled GetHealth(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  if (!state.log.usable()) {
    return std::unexpected(Error{ErrorCode::kNeedsReopen, "a write to the store has failed: start the service again"});
  }
  (void)TURNLOG_TRY(state.log.End());
  return JsonResponse(R"({"status":"ok"})");
}

Handled GetMetrics(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const auto pending = TURNLOG_TRY(state.log.PendingRaw({}));
  std::string text = state.metrics.ToText({.connections = state.connections(),
                                           .body_memory = state.body_memory(),
                                           .waiting_clients = state.hub.subscribers(),
                                           .pending_inquiries = pending.size()});
  if (state.syncs != nullptr) state.syncs->Write(text);
  return HttpResponse{
      .status = 200, .headers = {{"Content-Type", "text/plain; version=0.0.4"}}, .body = std::move(text)};
}

}  // namespace turnlog
