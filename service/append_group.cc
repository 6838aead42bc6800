#include "service/append_group.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "remote/append_batch.h"
#include "remote/event_batch.h"
#include "remote/problem.h"
#include "service/call.h"
#include "service/retried_append.h"
#include "turnlog/inquiry/approval.h"

namespace turnlog {
namespace {

Result<AppendRequest> ToRequest(const BatchedAppend& append) {
  AppendRequest request{TURNLOG_TRY(ConversationId::Parse(append.conversation)), {}, append.expected_last};
  for (const NumberedEvent& each : TURNLOG_TRY(DecodeBatch(append.events))) request.events.push_back(each.event);
  return request;
}

}  // namespace

std::optional<HttpResponse> RefuseDecisions(const ServiceState& state, const HttpRequest& request,
                                            std::span<const EventView> events) {
  if (std::ranges::none_of(events, IsDecision)) return std::nullopt;
  return state.rules->RefuseWithout(AccessRight::kAnswer, request);
}

Status AppendGroup::Add(std::string_view appends) {
  for (const BatchedAppend& each : TURNLOG_TRY(SplitAppends(appends))) {
    auto append = ToRequest(each);
    auto refusal =
        append ? RefuseDecisions(state_, request_, append->events) : std::optional(ProblemResponse(append.error()));
    if (!refusal) appends_.push_back(*std::move(append));
    refusals_.push_back(std::move(refusal));
  }
  return {};
}

std::string AppendGroup::Write(Durability durability, bool again) {
  results_ = again ? AppendEachAgain(durability) : state_.log.AppendAll(appends_, durability);
  return Outcomes();
}

void AppendGroup::Begin(Durability durability) { results_ = state_.log.BeginAll(appends_, durability); }

std::string AppendGroup::End(Durability durability) {
  state_.log.EndAll(appends_, durability, begin_, results_);
  return Outcomes();
}

std::vector<Result<AppendResult>> AppendGroup::AppendEachAgain(Durability durability) {
  std::vector<Result<AppendResult>> results;
  for (const AppendRequest& each : appends_) {
    results.push_back(AppendAgain(state_.log, each.conversation, each.events, {durability, each.expected_last}));
  }
  return results;
}

std::string AppendGroup::Outcomes() const {
  std::string outcomes;
  auto result = results_.begin();
  for (const auto& refusal : refusals_) {
    if (refusal) {
      AddProblem(refusal->status, refusal->body, outcomes);
    } else if (const auto& each = *result++) {
      AddOutcome(*each, outcomes);
    } else {
      AddProblem(StatusOf(each.error().code), ToProblem(each.error()), outcomes);
    }
  }
  return outcomes;
}

}  // namespace turnlog
