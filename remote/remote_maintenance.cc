#include "turnlog/service/remote_maintenance.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/file_system.h"
#include "base/try.h"
#include "http/url.h"
#include "remote/object_reader.h"
#include "remote/problem.h"
#include "remote/redaction_form.h"
#include "remote/remote_log.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestPause{5}, kLongestPause{250};

std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

// The id of the job. It begins once, also if the connection is lost: of two redactions the second one finds nothing.
Result<std::string> BeginJob(ServiceClient& client, std::string_view body) {
  const std::string job = TURNLOG_TRY(client.Write(
      {.method = "POST", .target = "/v1/jobs", .headers = {{"Content-Type", "application/json"}}, .body = {body}}));
  return TURNLOG_TRY(ObjectReader::Parse(job)).Text("id");
}

Result<std::string> GetJob(ServiceClient& client, const std::string& id) {
  auto job = client.Get("/v1/jobs/" + PercentEncode(id));
  if (job || job.error().code != ErrorCode::kNotFound) return job;
  return Fail(ErrorCode::kIo, "the service was restarted meanwhile; start again");
}

// Nothing: the job has not ended.
std::optional<Status> OutcomeOf(const ObjectReader& job) {
  const std::string state = job.Text("state");
  if (state == "done") return Status();
  if (state == "cancelled") return Fail(ErrorCode::kConflict, "the job was cancelled");
  if (state == "failed") return std::unexpected(FromProblem(500, job.Object("problem")));
  if (state == "waiting" || state == "running") return std::nullopt;
  return Fail(ErrorCode::kIo, "the service gave something else than a job");
}

// A job that has ended.
struct EndedJob {
  Status outcome;
  Json result;  // also of some that have failed
};

Result<EndedJob> AwaitJob(Log& log, std::string_view body, const Progress& progress) {
  auto* const remote = dynamic_cast<RemoteLog*>(&log);
  if (remote == nullptr) return Fail(ErrorCode::kUnsupported, "the log is not used through a service");
  const std::string id = TURNLOG_TRY(BeginJob(remote->client(), body));
  for (milliseconds pause = kShortestPause;; pause = std::min(2 * pause, kLongestPause)) {
    const std::string text = TURNLOG_TRY(GetJob(remote->client(), id));
    const ObjectReader job = TURNLOG_TRY(ObjectReader::Parse(text));
    const std::uint64_t total = job.Number("total");
    if (progress && total > 0) progress(job.Number("done"), total);
    if (auto outcome = OutcomeOf(job)) {
      return EndedJob{*std::move(outcome), job.FindJson("result")};
    }
    std::this_thread::sleep_for(pause);
  }
}

Result<Json> RunJob(Log& log, std::string_view body, const Progress& progress) {
  EndedJob job = TURNLOG_TRY(AwaitJob(log, body, progress));
  TURNLOG_TRY(std::move(job.outcome));
  return std::move(job.result);
}

std::string ScavengeJob(std::span<const ConversationId> conversations) {
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("kind", "scavenge");
  json.Key("report"), json.Bool(true);
  json.Key("conversations"), json.StartArray();
  for (const ConversationId& id : conversations) json.String(id.text());
  json.EndArray();
  json.EndObject();
  return text;
}

ScavengedConversation ReadScavenged(const ObjectReader& object) {
  ScavengedConversation read{.id = object.Text("id"), .events = {}, .bytes = object.Number("bytes"), .error = {}};
  for (const std::uint64_t seq : object.Numbers("events")) read.events.push_back({seq});
  return read;
}

}  // namespace

bool IsThroughService(const Log& log) { return dynamic_cast<const RemoteLog*>(&log) != nullptr; }

Status ReindexThroughService(Log& log, const Progress& progress) {
  TURNLOG_TRY(RunJob(log, R"({"kind":"reindex"})", progress));
  return {};
}

Result<RemoteRedaction> RedactThroughService(Log& log, RedactionTargets targets, std::string_view by,
                                             const Progress& progress, const PlanFn& on_plan) {
  if (targets.detect && !targets.rules.empty() && !targets.rules_text) {
    targets.rules_text = TURNLOG_TRY(ReadInput(targets.rules));
  }
  const SecretString job = RedactionJob(targets, by);
  EndedJob ended = TURNLOG_TRY(AwaitJob(log, job.view(), progress));
  const auto plan = ReadRedactionPlan(ended.result.text());
  if (plan && on_plan) on_plan(*plan);
  TURNLOG_TRY(std::move(ended.outcome));
  return ReadRedaction(ended.result.text());
}

Result<RemoteScavenge> ScavengeThroughService(Log& log, std::span<const ConversationId> conversations,
                                              const Progress& progress) {
  const std::string job = ScavengeJob(conversations);
  const Json text = TURNLOG_TRY(RunJob(log, job, progress));
  const ObjectReader result = TURNLOG_TRY(ObjectReader::Parse(text.text()));
  RemoteScavenge scavenge{.checked = result.Number("checked"), .conversations = {}};
  for (const ObjectReader& each : result.Objects("conversations")) {
    scavenge.conversations.push_back(ReadScavenged(each));
  }
  for (const ObjectReader& each : result.Objects("failures")) {
    scavenge.conversations.push_back(
        {.id = each.Text("id"), .events = {}, .bytes = 0, .error = FromProblem(500, each)});
  }
  if (!result.ok()) return Fail(ErrorCode::kIo, "the service gave something else than a result");
  return scavenge;
}

}  // namespace turnlog
