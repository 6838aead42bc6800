// The history in a store for agents: a read-only server of the Model Context Protocol. docs/agent_tools.md describes
// its tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct McpOptions {
  // Opens the log for reading; called for each use of a tool, so that it shows what has been appended since.
  std::function<Result<std::unique_ptr<Log>>()> open;
  std::string version = {};   // of the program, for clients that ask
  bool keep_secrets = false;  // show presumed secrets instead of leaving them out
  // So much of the conversations is looked through for each use of a tool: for secrets that are repeated in what it
  // shows.
  std::uint64_t most_bytes_for_secrets = std::uint64_t{64} << 20;
};

// A message that is longer is an error, whatever is in it.
inline constexpr std::size_t kMaxMcpMessageBytes = std::size_t{1} << 20;

class McpServer {
 public:
  // Errors: the rules of the detector cannot be read.
  static Result<std::unique_ptr<McpServer>> Make(McpOptions options);
  virtual ~McpServer() = default;

  // Answers one message, a line of JSON, with a line of JSON without its line break; empty: nothing is to be answered.
  // What is wrong with a message is an answer, too.
  virtual std::string Handle(std::string_view message) = 0;
};

}  // namespace turnlog
