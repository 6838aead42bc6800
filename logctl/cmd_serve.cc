#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): signal sets are POSIX
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "base/errno_text.h"
#include "base/file_system.h"
#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/private_memory.h"
#include "logctl/store_access.h"
#include "turnlog/service/remote_log.h"
#include "turnlog/service/service.h"

namespace turnlog {
namespace {

struct Options {
  std::string listen;
  std::optional<std::string> token_file, log_file;
};

// Signals that are waited for instead of interrupting whatever runs.
class Signals {
 public:
  // Before any thread is started: threads inherit it.
  Signals() {
    (void)::sigemptyset(&set_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) (void)::sigaddset(&set_, signal);
    (void)::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  int Wait() const {
    int signal = 0;
    (void)::sigwait(&set_, &signal);
    return signal;
  }

 private:
  sigset_t set_{};
};

// A file of JSON lines, which may be moved away while it is written to.
class AccessLog {
 public:
  static Expected<std::unique_ptr<AccessLog>> Open(const std::string& path) {
    auto log = std::make_unique<AccessLog>(path);
    TURNLOG_TRY(log->Reopen());
    return log;
  }
  explicit AccessLog(std::string path) : path_(std::move(path)) {}
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;
  ~AccessLog() { ::close(descriptor_); }

  Expected<void> Reopen() {
    const int opened = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (opened < 0) return Failed(fmt::format("cannot open {}: {}", path_, ErrnoText(errno)));
    const std::scoped_lock lock(mutex_);
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = opened;
    return {};
  }
  // A line that cannot be written is lost: serving goes on.
  void Write(std::string_view line) {
    const std::string whole = fmt::format("{}\n", line);
    const std::scoped_lock lock(mutex_);
    [[maybe_unused]] const ssize_t written = ::write(descriptor_, whole.data(), whole.size());
  }

 private:
  const std::string path_;
  std::mutex mutex_;
  int descriptor_ = -1;
};

Expected<std::string> GivenToken(const Options& options) {
  if (!options.token_file) {
    const char* const given = std::getenv("TURNLOG_TOKEN");
    return std::string(given == nullptr ? "" : given);
  }
  auto token = ReadInput(*options.token_file);
  if (!token) return std::unexpected(Failure(token.error()));
  token->resize(token->find_last_not_of("\r\n") + 1);
  return *std::move(token);
}

Expected<std::string> ReadToken(const Options& options) {
  if (options.listen.empty()) return std::string();
  auto token = GivenToken(options);
  if (!token || token->size() >= kMinTokenBytes) return token;
  return WrongUsage(fmt::format("--listen needs a token of at least {} characters", kMinTokenBytes),
                    "give a file with --token-file, or set TURNLOG_TOKEN; for example: openssl rand -hex 32 > token");
}

// Each connection takes a descriptor, and a usual limit is 1024.
void RaiseDescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

void PrintStart(Context& context, const Service& service) {
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Array("locations");
    for (const std::string& location : service.locations()) json.Element(location);
    json.EndArray();
  } else if (!context.globals.quiet) {
    for (const std::string& location : service.locations()) context.out.Write(fmt::format("serving at {}\n", location));
  }
  context.out.Flush();
}

CommandResult Run(Context& context, const Options& options) {
  KeepMemoryPrivate();
  const Signals signals;
  const auto path = TURNLOG_TRY(StorePath(context));
  ServiceOptions service_options{.socket = ServiceSocket(path), .listen = options.listen};
  service_options.token = TURNLOG_TRY(ReadToken(options));
  std::unique_ptr<AccessLog> access_log;
  if (options.log_file) {
    access_log = TURNLOG_TRY(AccessLog::Open(*options.log_file));
    service_options.access_log = [&](std::string_view line) { access_log->Write(line); };
  }
  RaiseDescriptorLimit();
  const auto log = TURNLOG_TRY(OpenAlone(context, "serve"));
  const auto service = TURNLOG_TRY(Service::Start(*log, service_options));
  PrintStart(context, *service);
  while (signals.Wait() == SIGHUP) {
    if (access_log == nullptr) continue;
    if (const auto reopened = access_log->Reopen(); !reopened) context.messages.Report(reopened.error());
  }
  service->Stop();
  TURNLOG_TRY(log->Close());
  return kFine;
}

}  // namespace

Action DefineServe(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "--listen", options->listen, "Serve also at this address of this machine; needs a token",
          "ADDRESS:PORT");
  AddText(app, "--token-file", options->token_file, "The token is in this file, instead of TURNLOG_TOKEN", "FILE");
  AddText(app, "--log", options->log_file,
          "Append a line of JSON for each request, without contents; SIGHUP reopens it", "FILE");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
