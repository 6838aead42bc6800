// Maintenance that a running service does for this process: as one of its jobs, beside everything else that it does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/log.h"
#include "turnlog/redaction/redact.h"
#include "turnlog/result.h"
#include "turnlog/storage_visitor.h"

namespace turnlog {

// Whether `log` is of OpenRemoteLog, which the functions below need (kUnsupported). Each begins a job, waits until it
// has ended, and gives its errors. kConflict: the job was cancelled. kIo: the service cannot be reached, or was
// restarted meanwhile; some of the work may be done.
bool IsThroughService(const Log& log);

// ReindexLog. If the job is cancelled or fails, the index is the old one.
Status ReindexThroughService(Log& log, const Progress& progress = {});

struct RemoteRedaction {
  RedactionPlan plan;
  RedactionProof proof;
};
// Redaction::Plan, Apply and Prove. The values go to the service in memory and are wiped there; a rules file is read
// here. `on_plan` gets the plan when the job has ended, also if it failed after the plan was made: what it warns of
// would be lost otherwise.
using PlanFn = std::function<void(const RedactionPlan& plan)>;
Result<RemoteRedaction> RedactThroughService(Log& log, RedactionTargets targets, std::string_view by,
                                             const Progress& progress = {}, const PlanFn& on_plan = {});

struct ScavengedConversation {
  std::string id;
  std::vector<Seq> events;
  std::uint64_t bytes = 0;
  std::optional<Error> error;  // instead of the others
};
struct RemoteScavenge {
  std::uint64_t checked = 0;                         // conversations, also those that failed
  std::vector<ScavengedConversation> conversations;  // with erased events, and after them those that failed
};
// Scavenge for these conversations; none: for all with repairs and new events since their last run.
Result<RemoteScavenge> ScavengeThroughService(Log& log, std::span<const ConversationId> conversations,
                                              const Progress& progress = {});

}  // namespace turnlog
