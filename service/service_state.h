// What the handlers of requests share.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "service/event_hub.h"
#include "service/metrics.h"
#include "service/waiting_agents.h"
#include "service/write_once.h"
#include "turnlog/log.h"

namespace turnlog {

struct ServiceState {
  ServiceState(Log& served, std::string name) : log(served), instance(std::move(name)) {}

  Log& log;                    // its changes notify the hub
  const std::string instance;  // of this run
  EventHub hub;
  Metrics metrics;
  std::function<std::size_t()> connections;
  WriteOnce writes;
  WaitingAgents agents;
};

}  // namespace turnlog
