#include "migrate/openai/server_approval.h"

#include <string_view>
#include <utility>

namespace turnlog {
namespace {

std::optional<std::string> EitherString(const JsonObject& object, std::string_view name, std::string_view javascript) {
  return object.String(object[name].empty() ? javascript : name);
}

std::optional<ServerApproval> ReadRequest(const JsonObject& request, std::optional<std::string> id) {
  if (!id) return std::nullopt;
  return ServerApproval{.request = *std::move(id),
                        .tool = request.String("name"),
                        .server = EitherString(request, "server_label", "serverLabel"),
                        .reason = {}};
}

std::optional<ServerApproval> ReadAnswer(const JsonObject& answer) {
  auto id = EitherString(answer, "approval_request_id", "approvalRequestId");
  const std::string_view approve = answer["approve"];
  if (!id || (approve != "true" && approve != "false")) return std::nullopt;
  return ServerApproval{.request = *std::move(id),
                        .tool = {},
                        .server = {},
                        .asks = false,
                        .approved = approve == "true",
                        .reason = answer.String("reason")};
}

}  // namespace

std::optional<ServerApproval> ReadServerApproval(const JsonObject& item) {
  const bool is_wrapped = item.String("type") == "hosted_tool_call";
  const JsonObject fields = is_wrapped ? item.Object("providerData") : item;
  auto type = fields.String("type");
  if (is_wrapped && !type) type = item.String("name");
  if (type == "mcp_approval_response") return ReadAnswer(fields);
  if (type != "mcp_approval_request") return std::nullopt;
  return ReadRequest(fields, (fields["id"].empty() ? item : fields).String("id"));
}

}  // namespace turnlog
