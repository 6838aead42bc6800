// Signing in and out.
#include <fmt/format.h>

#include <utility>

#include "base/secret_string.h"
#include "base/try.h"
#include "base/utf8.h"
#include "remote/object_reader.h"
#include "schema/json/json_writer.h"
#include "service/digest.h"
#include "service/handlers.h"
#include "service/session_cookie.h"

namespace turnlog {
namespace {

constexpr std::size_t kMaxName = 100;  // bytes

HttpResponse NoContent() { return {.status = 204, .headers = {}, .body = {}}; }

void WriteSession(const Session& session, const std::set<AccessRight>& rights, JsonWriter& json) {
  json.StartObject();
  json.Field("id", session.id);
  json.Field("who", session.who);
  json.Field("begun", session.begun.ToRfc3339());
  json.Key("rights"), json.StartArray();
  for (const AccessRight right : rights) json.String(ToString(right));
  json.EndArray();
  json.EndObject();
}

// The name in the body, cut between two characters if it is too long.
std::string NameIn(const ObjectReader& body) {
  std::string name = body.FindText("who").value_or("");
  name.resize(Utf8PrefixLength(std::string_view(name).substr(0, kMaxName)));
  return name;
}

// Who signs in with a named token has the token's name and no other: others rely on it.
std::optional<Invited> AdmitToken(const ServiceState& state, std::string_view token, std::string name) {
  if (state.rules->IsToken(token)) return Invited{std::move(name), {}};
  const auto named = state.tokens.Find(token);
  return named ? std::optional(Invited{named->name, Sha256Hex(token)}) : std::nullopt;
}

// Nothing: the body shows no valid code or token.
std::optional<Invited> Admit(ServiceState& state, const ObjectReader& body) {
  std::string name = NameIn(body);
  if (const auto code = body.FindText("code")) {
    auto invited = state.sessions.TakeCode(*code, TimeNow());
    if (invited && invited->token_hash.empty() && !name.empty()) invited->who = std::move(name);
    return invited;
  }
  std::string token = body.FindText("token").value_or("");
  auto admitted = AdmitToken(state, token, std::move(name));
  Wipe(token);
  return admitted;
}

// Its streams of all conversations end now, others when they are read next.
Status EndAndWake(ServiceState& state, std::string_view id) {
  const Status ended = state.sessions.End(id, TimeNow());
  state.hub.Notify({});
  return ended;
}

}  // namespace

std::string PairingLink(const ServiceState& state, const std::string& code) {
  return fmt::format("{}#pair={}", state.rules->address().page_url(), code);
}

Handled SignIn(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  if (!IsFromPage(call.request)) return ProblemResponse(403, "only the service's own page signs in");
  const ObjectReader body = TURNLOG_TRY(ObjectReader::Parse(call.request.body.view()));
  auto admitted = Admit(state, body);
  if (!admitted) return ProblemResponse(401, "the code or token is wrong, or was used, or is too old");
  HttpResponse response = NoContent();
  const std::string cookie =
      TURNLOG_TRY(state.sessions.Begin(std::move(admitted->who), TimeNow(), std::move(admitted->token_hash)));
  response.headers.push_back(state.rules->address().SetCookie(cookie));
  return response;
}

Handled SignOut(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  if (const auto session = state.rules->SessionOf(call.request)) {
    TURNLOG_TRY(EndAndWake(state, session->id));
  }
  HttpResponse response = NoContent();
  response.headers.push_back(state.rules->address().SetCookie({}));
  return response;
}

Handled GetSession(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  const auto session = state.rules->SessionOf(call.request);
  const auto rights = session ? state.rules->RightsOf(*session) : std::nullopt;
  if (!rights) return std::unexpected(Error{ErrorCode::kNotFound, "the request is of no session"});
  std::string text;
  JsonWriter json(text);
  WriteSession(*session, *rights, json);
  return JsonResponse(std::move(text));
}

Handled ListSessions(ServiceState& state, Call& call) {
  TURNLOG_TRY(call.query.Finish());
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("sessions");
  json.StartArray();
  for (const Session& session : state.sessions.List(TimeNow())) {
    if (const auto rights = state.rules->RightsOf(session)) WriteSession(session, *rights, json);
  }
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
  if (!state.has_page) {
    return std::unexpected(Error{ErrorCode::kConflict, "the service has no address for browsers"});
  }
  // The browser gets no more rights than who invites it, and goes with it.
  Invited invited{.who = NameIn(body), .token_hash = state.rules->TokenHashOf(call.request)};
  if (!invited.token_hash.empty()) invited.who = state.rules->WhoSends(call.request).value_or("");
  const std::string code = state.sessions.MakeCode(std::move(invited), TimeNow());
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  json.Field("code", code);
  json.Field("link", PairingLink(state, code));
  json.EndObject();
  return JsonResponse(std::move(text));
}

}  // namespace turnlog
