// What the jobs of a service do, each with its result as a JSON object.
#pragma once

#include <functional>
#include <string>

#include "service/job_body.h"
#include "service/jobs.h"
#include "turnlog/log.h"
#include "turnlog/maintenance.h"

namespace turnlog {

// What jobs do with the files of the store; empty: it has none for that.
struct FileJobs {
  std::function<Result<VerifyReport>(const Progress& progress)> verify;
  std::function<Result<bool>(const ReindexOptions& options)> reindex;  // false: stopped
};

// `log` outlives the job. kUnsupported: for a job that needs one of `files` that is empty.
Result<Jobs::Work> WorkOf(Log& log, const FileJobs& files, JobBody body);

}  // namespace turnlog
