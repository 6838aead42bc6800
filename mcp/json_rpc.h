// Messages of JSON-RPC 2.0.
#pragma once

#include <string>
#include <string_view>

#include "turnlog/json.h"

namespace turnlog {

struct RpcRequest {
  Json id;  // a string or number, verbatim; empty: a notification, which is not answered
  std::string method;
  Json params;  // empty if there are none
};

// The codes of the specification.
enum class RpcError : int {
  kParse = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
};

std::string RpcResult(const Json& id, std::string_view result);
// Without an id: null.
std::string RpcFailure(const Json& id, RpcError code, std::string_view message);

struct RpcMessage {
  RpcRequest request;
  std::string failure;    // the answer, if it is no request
  bool response = false;  // an answer to a request, which this server never makes
};

RpcMessage ParseRpcMessage(std::string_view text);

}  // namespace turnlog
