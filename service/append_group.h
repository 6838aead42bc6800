// Several appends of one client, of which each may be refused.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "service/observed_log.h"
#include "service/service_state.h"

namespace turnlog {

// A refusal if these events are answers, and who sends them may not answer.
std::optional<HttpResponse> RefuseDecisions(const ServiceState& state, const HttpRequest& request,
                                            std::span<const EventView> events);

// What it is made of outlives it.
class AppendGroup {
 public:
  // `request`: who sends them.
  AppendGroup(ServiceState& state, const HttpRequest& request) : state_(state), request_(request) {}

  // Encoded appends (append_batch.h). kInvalidArgument: they are malformed.
  Status Add(std::string_view appends);

  // Writes them and waits. Gives their outcomes, encoded. `again`: they may have been written by a service that is
  // gone.
  std::string Write(Durability durability, bool again);
  // The same in two steps: only the second one waits. Several groups may begin before any of them ends.
  void Begin(Durability durability);
  std::string End(Durability durability);

 private:
  std::vector<Result<AppendResult>> AppendEachAgain(Durability durability);
  std::string Outcomes() const;

  ServiceState& state_;
  const HttpRequest& request_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::vector<AppendRequest> appends_;                 // those that are not refused
  std::vector<Result<AppendResult>> results_;          // of these
  std::vector<std::optional<HttpResponse>> refusals_;  // of all
};

}  // namespace turnlog
