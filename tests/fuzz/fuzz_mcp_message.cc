// Any line as a message to the server of the Model Context Protocol, whose store cannot be opened: nothing, or one line
// that is a message of JSON-RPC.
#include <memory>
#include <string>
#include <string_view>

#include "mcp/json_rpc.h"
#include "schema/json/json_scan.h"
#include "tests/fuzz/fuzz_target.h"
#include "turnlog/mcp/mcp_server.h"

namespace {

using namespace turnlog;

std::unique_ptr<McpServer> NewServer() {
  auto server = McpServer::Make(
      {.open = [] { return std::unexpected(Error{ErrorCode::kNotFound, "there is no store"}); }, .version = "1"});
  Require(server.has_value());
  return *std::move(server);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::unique_ptr<McpServer> server = NewServer();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string answer = server->Handle(text);
  if (answer.empty()) return 0;
  Require(!answer.contains('\n') && !FindJsonFault(answer));
  Require(ParseRpcMessage(answer).response);
  return 0;
}
