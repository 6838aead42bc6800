#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "base/errno_text.h"
#include "base/try.h"
#include "logctl/command.h"
#include "logctl/store_access.h"
#include "turnlog/mcp/mcp_server.h"

namespace turnlog {
namespace {

struct Options {
  bool keep_secrets = false;
};

// Standard input, line by line. Of a line that is too long, only so much is kept as shows that it is.
class Lines {
 public:
  // False at the end.
  Expected<bool> Next(std::string& line) {
    line.clear();
    for (;;) {
      const std::size_t end = pending_.find('\n');
      Append(line, std::string_view(pending_).substr(0, end));
      if (end != std::string::npos) {
        pending_.erase(0, end + 1);
        return true;
      }
      pending_.clear();
      if (!TURNLOG_TRY(Read())) return !line.empty();
    }
  }

 private:
  static void Append(std::string& line, std::string_view piece) {
    line.append(piece.substr(0, kMaxMcpMessageBytes + 1 - std::min(line.size(), kMaxMcpMessageBytes + 1)));
  }

  Expected<bool> Read() {
    std::array<char, 1 << 16> buffer{};
    for (;;) {
      const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Failed("cannot read standard input: " + ErrnoText(errno));
      pending_.assign(buffer.data(), static_cast<std::size_t>(got));
      return got > 0;
    }
  }

  std::string pending_;
};

CommandResult Run(Context& context, const Options& options) {
  const std::string location = TURNLOG_TRY(StoreLocation(context));
  const char* const token = std::getenv("TURNLOG_TOKEN");
  const OpenOptions open{.mode = OpenMode::kRead, .holder = {}, .token = token == nullptr ? "" : token};
  const auto server = TURNLOG_TRY(McpServer::Make({.open = [&] { return OpenLog(location, open); },
                                                   .version = TURNLOG_VERSION,
                                                   .keep_secrets = options.keep_secrets}));
  Lines lines;
  for (std::string line; TURNLOG_TRY(lines.Next(line)) && !context.out.closed();) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string answer = server->Handle(line);
    if (answer.empty()) continue;
    context.out.WriteJson(answer + "\n");
    context.out.Flush();
  }
  return kFine;
}

}  // namespace

Action DefineMcp(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddFlag(app, "--keep-secrets", options->keep_secrets, "Show presumed secrets instead of leaving them out");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
