#include "turnlog/service/remote_reindex.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/try.h"
#include "http/url.h"
#include "remote/object_reader.h"
#include "remote/problem.h"
#include "remote/remote_log.h"

namespace turnlog {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestPause{5}, kLongestPause{250};

std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

Result<std::string> BeginJob(ServiceClient& client) {
  const std::string job = TURNLOG_TRY(client.Call({.method = "POST",
                                                   .target = "/v1/jobs",
                                                   .headers = {{"Content-Type", "application/json"}},
                                                   .body = {R"({"kind":"reindex"})"}}));
  return TURNLOG_TRY(ObjectReader::Parse(job)).Text("id");
}

Result<ObjectReader> GetJob(ServiceClient& client, const std::string& id) {
  const auto job = client.Get("/v1/jobs/" + PercentEncode(id));
  if (job) return ObjectReader::Parse(*job);
  if (job.error().code != ErrorCode::kNotFound) return std::unexpected(job.error());
  return Fail(ErrorCode::kIo, "the service was restarted while it rebuilt the index; start again");
}

// Nothing: the job has not ended.
std::optional<Status> OutcomeOf(const ObjectReader& job) {
  const std::string state = job.Text("state");
  if (state == "done") return Status();
  if (state == "cancelled") return Fail(ErrorCode::kConflict, "the job was cancelled, and the index is the old one");
  if (state == "failed") return std::unexpected(FromProblem(500, job.FindJson("problem").text()));
  if (state == "waiting" || state == "running") return std::nullopt;
  return Fail(ErrorCode::kIo, "the service gave something else than a job");
}

}  // namespace

Status ReindexThroughService(Log& log, const Progress& progress) {
  auto* const remote = dynamic_cast<RemoteLog*>(&log);
  if (remote == nullptr) return Fail(ErrorCode::kUnsupported, "the log is not used through a service");
  const std::string id = TURNLOG_TRY(BeginJob(remote->client()));
  for (milliseconds pause = kShortestPause;; pause = std::min(2 * pause, kLongestPause)) {
    const ObjectReader job = TURNLOG_TRY(GetJob(remote->client(), id));
    const std::uint64_t total = job.Number("total");
    if (progress && total > 0) progress(job.Number("done"), total);
    if (const auto outcome = OutcomeOf(job)) return *outcome;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace turnlog
