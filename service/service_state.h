// What the handlers of requests share.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <string_view>
#include <utility>

#include "service/access.h"
#include "service/event_feed.h"
#include "service/event_hub.h"
#include "service/jobs.h"
#include "service/maintenance.h"
#include "service/metrics.h"
#include "service/observed_log.h"
#include "service/overview.h"
#include "service/sessions.h"
#include "service/shared_overview.h"
#include "service/unfinished_states.h"
#include "service/waiting_agents.h"
#include "service/write_once.h"
#include "turnlog/log.h"
#include "turnlog/service/sync_metrics.h"

namespace turnlog {

struct ServiceState {
  ServiceState(ObservedLog& served, std::string name, std::filesystem::path sessions_file,
               std::filesystem::path tokens_file)
      : log(served),
        instance(std::move(name)),
        feed(served),
        hub([this] { return feed.AdvanceSome().value_or(false); }),
        overview(served),
        unfinished(served),
        sessions(std::move(sessions_file)),
        tokens(std::move(tokens_file)) {}

  ObservedLog& log;            // its changes notify the hub
  const std::string instance;  // of this run
  EventFeed feed;
  EventHub hub;
  Metrics metrics;
  // Counts and logs a request that was handled; `body`: of its response.
  std::function<void(std::string_view operation, const HttpRequest& request, int status, std::string_view body,
                     std::chrono::steady_clock::duration took)>
      report;
  std::shared_ptr<const SyncMetrics> syncs;  // null: the log does not report its syncs
  std::function<std::size_t()> connections;
  std::function<std::uint64_t()> body_memory;
  WriteOnce writes;
  WaitingAgents agents;
  Overview overview;
  SharedOverview shared_overview{overview};
  UnfinishedStates unfinished;
  // Of event streams.
  std::function<std::chrono::steady_clock::time_point()> steady_now = std::chrono::steady_clock::now;
  std::counting_semaphore<> searches{2};  // at once: each reads the whole store, on a thread that others wait for
  Jobs jobs;
  FileJobs files;
  std::function<Status(std::string_view compression)> set_compression;  // empty: the store has no such setting
  Sessions sessions;
  NamedTokens tokens;
  std::optional<AccessRules> rules;  // set before the first request
  bool has_page = false;             // there is an address for browsers
};

}  // namespace turnlog
