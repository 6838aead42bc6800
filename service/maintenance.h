// What the jobs of a service do, each with its result as a JSON object.
#pragma once

#include <functional>
#include <string>

#include "service/job_body.h"
#include "service/jobs.h"
#include "turnlog/log.h"
#include "turnlog/maintenance.h"

namespace turnlog {

using VerifyFn = std::function<Result<VerifyReport>(const Progress& progress)>;

// `log` outlives the job. `verify`: checks the files of the store; empty: it has none that could be checked.
// kUnsupported: then, for a job that verifies.
Result<Jobs::Work> WorkOf(Log& log, const VerifyFn& verify, JobBody body);

}  // namespace turnlog
