// Jobs: begun, looked at and ended.
#include <utility>

#include "base/try.h"
#include "remote/problem.h"
#include "schema/json/json_writer.h"
#include "service/handlers.h"
#include "service/job_body.h"

namespace turnlog {
namespace {

void WriteJob(const JobReport& job, JsonWriter& json) {
  json.StartObject();
  json.Field("id", job.id);
  json.Field("kind", job.kind);
  json.Field("state", ToString(job.state));
  json.Key("done"), json.Unsigned(job.done);
  json.Key("total"), json.Unsigned(job.total);
  json.Field("begun", job.begun.ToRfc3339());
  if (job.ended) json.Field("ended", job.ended->ToRfc3339());
  if (!job.result.empty()) json.Key("result"), json.Value() += job.result;
  if (job.error) json.Key("problem"), json.Value() += ToProblem(*job.error);
  json.EndObject();
}

std::string ToJson(const JobReport& job) {
  std::string text;
  JsonWriter json(text);
  WriteJob(job, json);
  return text;
}

}  // namespace

Handled BeginJob(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  JobBody body = TURNLOG_TRY(ReadJobBody(call.request.body.view()));
  if (auto who = state.rules->WhoSends(call.request)) body.by = *std::move(who);
  auto response = Once(state, call, [&]() -> WriteOnce::Answer {
    std::string kind = body.kind;
    auto work = TURNLOG_TRY(WorkOf(state.log, state.files, std::move(body)));
    return ToJson(TURNLOG_TRY(state.jobs.Add(std::move(kind), std::move(work), TimeNow())));
  });
  if (response) response->status = 202;
  return response;
}

Handled ListJobs(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("jobs"), json.StartArray();
  for (JobReport& job : state.jobs.List()) {
    job.result.clear();  // which may be large
    WriteJob(job, json);
  }
  json.EndArray();
  json.EndObject();
  return JsonResponse(std::move(text));
}

Handled GetJob(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const auto job = state.jobs.Find(call.parameters.front());
  if (!job) return std::unexpected(Error{ErrorCode::kNotFound, "there is no such job"});
  return JsonResponse(ToJson(*job));
}

Handled CancelJob(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  TURNLOG_TRY(state.jobs.Cancel(call.parameters.front(), TimeNow()));
  return HttpResponse{.status = 204, .headers = {}, .body = {}};
}

}  // namespace turnlog
