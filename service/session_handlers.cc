// Signing in and out.
#include <fmt/format.h>

#include <utility>

#include "base/secret_string.h"
#include "base/try.h"
#include "base/utf8.h"
#include "remote/object_reader.h"
#include "schema/json/json_writer.h"
#include "service/handlers.h"
#include "service/session_cookie.h"

namespace turnlog {
namespace {

constexpr std::size_t kMaxName = 100;  // bytes

HttpResponse NoContent() { return {.status = 204, .headers = {}, .body = {}}; }

void WriteSession(const Session& session, JsonWriter& json) {
  json.StartObject();
  json.Field("id", session.id);
  json.Field("who", session.who);
  json.Field("begun", session.begun.ToRfc3339());
  json.EndObject();
}

// The name in the body, cut between two characters if it is too long.
std::string NameIn(const ObjectReader& body) {
  std::string name = body.FindText("who").value_or("");
  name.resize(Utf8PrefixLength(std::string_view(name).substr(0, kMaxName)));
  return name;
}

// The name of the person, if the body shows a valid code or token.
std::optional<std::string> Admit(ServiceState& state, const ObjectReader& body) {
  const std::string name = NameIn(body);
  if (const auto code = body.FindText("code")) {
    auto who = state.sessions.TakeCode(*code, TimeNow());
    return who && !name.empty() ? name : std::move(who);
  }
  std::string token = body.FindText("token").value_or("");
  const bool right = state.rules->IsToken(token);
  Wipe(token);
  return right ? std::optional(name) : std::nullopt;
}

// Its streams of all conversations end now, others when they are read next.
Status EndAndWake(ServiceState& state, std::string_view id) {
  const Status ended = state.sessions.End(id, TimeNow());
  state.hub.Notify({});
  return ended;
}

}  // namespace

std::string PairingLink(const ServiceState& state, const std::string& code) {
  return fmt::format("{}#pair={}", state.page_url, code);
}

Handled SignIn(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  if (!IsFromPage(call.request)) return ProblemResponse(403, "only the service's own page signs in");
  const ObjectReader body = TURNLOG_TRY(ObjectReader::Parse(call.request.body.view()));
  auto who = Admit(state, body);
  if (!who) return ProblemResponse(401, "the code or token is wrong, or was used, or is too old");
  HttpResponse response = NoContent();
  response.headers.push_back(state.rules->SetCookie(TURNLOG_TRY(state.sessions.Begin(*std::move(who), TimeNow()))));
  return response;
}

Handled SignOut(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  if (const auto session = state.rules->SessionOf(call.request)) {
    TURNLOG_TRY(EndAndWake(state, session->id));
  }
  HttpResponse response = NoContent();
  response.headers.push_back(state.rules->SetCookie({}));
  return response;
}

Handled GetSession(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const auto session = state.rules->SessionOf(call.request);
  if (!session) return std::unexpected(Error{ErrorCode::kNotFound, "the request is of no session"});
  std::string text;
  JsonWriter json(text);
  WriteSession(*session, json);
  return JsonResponse(std::move(text));
}

Handled ListSessions(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("sessions");
  json.StartArray();
  for (const Session& session : state.sessions.List(TimeNow())) WriteSession(session, json);
  json.EndArray();
  json.EndObject();
  return JsonResponse(std::move(text));
}

Handled EndSession(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  TURNLOG_TRY(EndAndWake(state, call.parameters.front()));
  return NoContent();
}

Handled MakePairingCode(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const ObjectReader body = TURNLOG_TRY(ObjectReader::Parse(call.request.body.view()));
  if (state.page_url.empty()) {
    return std::unexpected(Error{ErrorCode::kConflict, "the service has no address for browsers"});
  }
  const std::string code = state.sessions.MakeCode(NameIn(body), TimeNow());
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("code", code);
  json.Field("link", PairingLink(state, code));
  json.EndObject();
  return JsonResponse(std::move(text));
}

}  // namespace turnlog
