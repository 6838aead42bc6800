#include "turnlog/service/browser_sessions.h"

#include <chrono>

#include "base/try.h"
#include "http/client.h"
#include "http/url.h"
#include "remote/object_reader.h"
#include "remote/problem.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

constexpr std::chrono::seconds kTimeout{10};
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

Result<std::string> Request(const std::filesystem::path& socket, std::string_view method, std::string target,
                            std::string_view body) {
  const auto connection = TURNLOG_TRY(HttpConnection::Open({.path = socket, .host = {}}, kTimeout));
  const auto head = TURNLOG_TRY(connection->Send({method, std::move(target), {}, {body}}, kTimeout));
  std::string text = TURNLOG_TRY(connection->ReadAll(kMostBytes));
  if (head.status >= 400) return std::unexpected(FromProblem(head.status, text));
  return text;
}

}  // namespace

Result<std::string> RequestPairingLink(const std::filesystem::path& socket, const std::string& who) {
  std::string body;
  JsonWriter json(body);
  json.StartObject();
  json.Field("who", who);
  json.EndObject();
  const std::string text = TURNLOG_TRY(Request(socket, "POST", "/v1/pairing", body));
  return TURNLOG_TRY(ObjectReader::Parse(text)).Text("link");
}

Result<std::vector<BrowserSession>> ListBrowserSessions(const std::filesystem::path& socket) {
  const std::string text = TURNLOG_TRY(Request(socket, "GET", "/v1/sessions", {}));
  const ObjectReader root = TURNLOG_TRY(ObjectReader::Parse(text));
  std::vector<BrowserSession> sessions;
  for (const ObjectReader& each : root.Objects("sessions")) {
    sessions.push_back({each.Text("id"), each.Text("who"), each.FindTime("begun").value_or(Timestamp{})});
  }
  return sessions;
}

Status EndBrowserSession(const std::filesystem::path& socket, const std::string& id) {
  (void)TURNLOG_TRY(Request(socket, "DELETE", "/v1/sessions/" + PercentEncode(id), {}));
  return {};
}

}  // namespace turnlog
