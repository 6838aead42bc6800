#include "turnlog/service/give_secret.h"

#include "base/secret_string.h"
#include "base/try.h"
#include "base/utf8.h"
#include "remote/remote_cursor.h"
#include "remote/remote_log.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

constexpr std::size_t kMostEscaped = 6;  // bytes of JSON for one of a string

std::unexpected<Error> Fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

void WriteBody(std::string_view inquiry, std::string_view secret, const SecretGiver& giver, std::string& body) {
  JsonWriter json(body);
  json.StartObject();
  json.Field("inquiry", inquiry);
  json.OptionalField("who", giver.who);
  json.Field("via", giver.via);
  json.Key("answer");
  // Room first: growing with a part of the secret would leave a copy of that behind.
  body.reserve(body.size() + kMostEscaped * secret.size() + 3);
  json.String(secret);
  json.EndObject();
}

}  // namespace

Status GiveSecret(Log& log, const ConversationId& conversation, std::string_view inquiry, std::string_view secret,
                  const SecretGiver& giver) {
  auto* const remote = dynamic_cast<RemoteLog*>(&log);
  if (remote == nullptr) return Fail(ErrorCode::kUnsupported, "secrets are handed over by a service only");
  if (!IsUtf8(secret)) return Fail(ErrorCode::kInvalidArgument, "the secret is not UTF-8");
  std::string body;
  WriteBody(inquiry, secret, giver, body);
  const auto given = remote->client().Call({.method = "POST",
                                            .target = ConversationPath(conversation, "/respond"),
                                            .headers = {{"Content-Type", "application/json"}},
                                            .body = {body}});
  Wipe(body);
  return given ? Status() : std::unexpected(given.error());
}

}  // namespace turnlog
