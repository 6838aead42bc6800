#include "mcp/json_rpc.h"

#include <fmt/format.h>

#include <optional>

#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"

namespace turnlog {
namespace {

constexpr std::string_view kBegin = R"({"jsonrpc":"2.0","id":)";

// On one line, because a line is a message.
std::string IdText(const Json& id) { return id.empty() ? "null" : id.text(); }

Json FieldOf(const Json& object, std::string_view name) {
  const auto field = FindJsonField(object.text(), name);
  return field ? Json::FromTrusted(std::string(field->value)) : Json();
}

bool IsId(const Json& id) {
  const char first = id.text().front();
  return first == '"' || first == '-' || (first >= '0' && first <= '9');
}

RpcMessage Refused(const Json& id, RpcError code, std::string_view why) {
  return {.request = {}, .failure = RpcFailure(id, code, why)};
}

}  // namespace

std::string RpcResult(const Json& id, std::string_view result) {
  return fmt::format(R"({}{},"result":{}}})", kBegin, IdText(id), result);
}

std::string RpcFailure(const Json& id, RpcError code, std::string_view message) {
  return fmt::format(R"({}{},"error":{{"code":{},"message":{}}}}})", kBegin, IdText(id), static_cast<int>(code),
                     JsonString(message).text());
}

RpcMessage ParseRpcMessage(std::string_view text) {
  const auto json = ParseJson(text);
  if (!json) return Refused({}, RpcError::kParse, json.error().message);
  if (!json->text().starts_with('{')) return Refused({}, RpcError::kInvalidRequest, "not a JSON object");
  const auto method = FindJsonString(json->text(), "method");
  const bool answers = FindJsonField(json->text(), "result") || FindJsonField(json->text(), "error");
  // Whatever its id is: an error about a message that could not be read has null.
  if (!method && answers) return {.response = true};
  const Json id = FieldOf(*json, "id");
  if (!id.empty() && !IsId(id)) return Refused({}, RpcError::kInvalidRequest, "id must be a string or a number");
  const bool versioned = FindJsonString(json->text(), "jsonrpc") == "2.0";
  if (!method || !versioned) return Refused(id, RpcError::kInvalidRequest, "not a request of JSON-RPC 2.0");
  return {.request = {.id = id, .method = *method, .params = FieldOf(*json, "params")}};
}

}  // namespace turnlog
