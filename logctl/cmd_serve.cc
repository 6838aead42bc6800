#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): signal sets are POSIX
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "base/errno_text.h"
#include "base/file_system.h"
#include "base/try.h"
#include "logctl/command.h"
#include "logctl/freed_memory.h"
#include "logctl/inherited_sockets.h"
#include "logctl/json_document.h"
#include "logctl/private_memory.h"
#include "logctl/store_access.h"
#include "logctl/table.h"
#include "logctl/text.h"
#include "turnlog/maintenance.h"
#include "turnlog/service/access_tokens.h"
#include "turnlog/service/browser_sessions.h"
#include "turnlog/service/remote_log.h"
#include "turnlog/service/service.h"

namespace turnlog {
namespace {

struct Options {
  std::string listen;
  std::string public_url, base_path;
  bool behind_proxy = false;
  bool pair = false;
  bool sessions = false;
  std::optional<std::string> end_session;
  std::string tls_cert, tls_key;
  std::optional<std::string> token_file, log_file, notify_key_file;
  std::vector<std::string> notify;
  std::optional<std::uint64_t> body_memory;
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
  // Of the service itself: it starts, stops, or has read its certificate and reopened this file, or not.
  void Note(std::string_view event, const Status& outcome = {}) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const Timestamp time{std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()};
    Write(fmt::format(R"({{"time":"{}","event":"{}","version":"{}","process":{},"code":"{}"}})", time.ToRfc3339(),
                      event, TURNLOG_VERSION, ::getpid(), outcome ? "ok" : ToString(outcome.error().code)));
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

// From the file, if one is named, or from the environment.
Expected<std::string> GivenSecret(const std::optional<std::string>& file, const char* variable) {
  if (!file) {
    const char* const given = std::getenv(variable);
    return std::string(given == nullptr ? "" : given);
  }
  auto secret = ReadInput(*file);
  if (!secret) return std::unexpected(Failure(secret.error()));
  secret->resize(secret->find_last_not_of("\r\n") + 1);
  return *std::move(secret);
}

// `inherited`: a service manager has passed on sockets; whether one of them is of TCP, the service finds out.
Expected<std::string> ReadToken(const Options& options, const std::filesystem::path& named_tokens, bool inherited) {
  if (options.listen.empty() && !options.pair && !inherited) return std::string();
  auto token = GivenSecret(options.token_file, "TURNLOG_TOKEN");
  if (!token || token->size() >= kMinTokenBytes) return token;
  if (token->empty() && (options.pair || inherited || !TURNLOG_TRY(ListAccessTokens(named_tokens)).empty()))
    return token;
  return WrongUsage(
      fmt::format("--listen needs a token of at least {} characters, a named token, or --pair", kMinTokenBytes),
      "`logctl token add NAME` makes a named one; --token-file or TURNLOG_TOKEN give one with all rights");
}

// Each connection takes a descriptor, and a usual limit is 1024.
void RaiseDescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

// The name that the page puts on record beside an answer.
std::string UserName() {
  const passwd* const user = ::getpwuid(::geteuid());
  return user == nullptr ? "" : user->pw_name;
}

void PrintLink(Context& context, const std::string& link) {
  context.out.Write(fmt::format("open {}\n", link));
  context.messages.Note("the link signs one browser in, once, within ten minutes");
}

void PrintStart(Context& context, Service& service, bool pair) {
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Array("locations");
    for (const std::string& location : service.locations()) json.Element(location);
    json.EndArray();
    if (pair) json.Field("link", service.PairingLink(UserName()));
  } else {
    for (const std::string& location : service.locations()) {
      if (!context.globals.quiet) context.out.Write(fmt::format("serving at {}\n", location));
    }
    if (pair) PrintLink(context, service.PairingLink(UserName()));
  }
  context.out.Flush();
}

// --- What a running service does ---

Expected<std::vector<BrowserSession>> FindSessions(const std::filesystem::path& socket) {
  auto sessions = ListBrowserSessions(socket);
  if (sessions) return *std::move(sessions);
  if (sessions.error().code != ErrorCode::kNotFound) return std::unexpected(Failure(sessions.error()));
  return Failed("no service serves this store", "start one: logctl serve --pair");
}

CommandResult ListSessions(Context& context, const std::vector<BrowserSession>& sessions) {
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Array("sessions");
    for (const BrowserSession& session : sessions) {
      json.Object();
      json.Field("id", session.id);
      json.Field("who", session.who);
      json.Field("begun", session.begun);
      json.EndObject();
    }
    return kFine;
  }
  Table table({{"SESSION"}, {"WHO"}, {"SIGNED IN"}});
  for (const BrowserSession& session : sessions) {
    table.Add(
        {session.id, Printable(session.who), fmt::format("{} {}", DateOf(session.begun), ClockOf(session.begun))});
  }
  table.Print(context.out);
  if (sessions.empty()) context.messages.Note("no browser is signed in");
  return kFine;
}

// Nothing: there is no service, so that this process is to be one.
Expected<std::optional<ExitCode>> AskRunningService(Context& context, const Options& options,
                                                    const std::filesystem::path& socket) {
  if (options.sessions) {
    const auto sessions = TURNLOG_TRY(FindSessions(socket));
    return TURNLOG_TRY(ListSessions(context, sessions));
  }
  if (options.end_session) {
    (void)TURNLOG_TRY(FindSessions(socket));
    TURNLOG_TRY(EndBrowserSession(socket, *options.end_session));
    return kFine;
  }
  if (!options.pair || !options.listen.empty()) return std::nullopt;
  const auto link = RequestPairingLink(socket, UserName());
  if (!link && link.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!link && link.error().code == ErrorCode::kConflict) {
    return Failed("the service of this store has no address for browsers", "start it with --pair or --listen");
  }
  PrintLink(context, TURNLOG_TRY(link));
  return kFine;
}

// The store is held by a service, which other commands find by themselves, or by another writer, which ends.
Failure HeldFailure(Failure failure, const std::filesystem::path& store) {
  const std::filesystem::path socket = ServiceSocket(store);
  if (OpenRemoteLog("unix:" + socket.string(), {.mode = OpenMode::kRead})) {
    failure.hint = fmt::format(
        "a service serves this store already: every command finds it by the folder, programs by unix:{}, and browsers "
        "by the link of `logctl serve --pair`; end that process to serve it in another way",
        socket.string());
  }
  return failure;
}

CommandResult Run(Context& context, const Options& options) {
  KeepMemoryPrivate();
  WipeFreedMemory();  // what clients have read may be redacted while this runs
  const Signals signals;
  const auto path = TURNLOG_TRY(StorePath(context));
  const std::filesystem::path socket = ServiceSocket(path);
  const std::vector<int> inherited = TakeInheritedSockets();
  // With sockets of a service manager this is the service: what connects to them waits for this process.
  if (inherited.empty()) {
    if (const auto done = TURNLOG_TRY(AskRunningService(context, options, socket))) return *done;
  }
  ServiceOptions service_options{.socket = socket,
                                 .listen = options.listen,
                                 .inherited = inherited,
                                 .tls_certificate = options.tls_cert,
                                 .tls_key = options.tls_key,
                                 .behind_proxy = options.behind_proxy,
                                 .public_url = options.public_url,
                                 .base_path = options.base_path,
                                 .sessions = path / "service.sessions",
                                 .tokens = AccessTokensFile(path),
                                 .body_memory = options.body_memory.value_or(0) << 20,
                                 .verify = [path](const Progress& progress) { return VerifyStore(path, progress); },
                                 .notify = options.notify,
                                 .notify_key = TURNLOG_TRY(GivenSecret(options.notify_key_file, "TURNLOG_NOTIFY_KEY"))};
  if (options.behind_proxy && options.listen.empty() && !options.pair && inherited.empty()) {
    return WrongUsage("--behind-proxy needs --listen");
  }
  // Before anything is opened or made.
  if (const Status address = Service::CheckPublicAddress(service_options); !address) {
    return WrongUsage(address.error().message);
  }
  if (const Status targets = Service::CheckNotifications(service_options); !targets) {
    return WrongUsage("--notify: " + targets.error().message);
  }
  TURNLOG_TRY(Service::CheckCertificate(service_options));
  if (options.pair && options.listen.empty() && inherited.empty()) service_options.listen = "127.0.0.1:0";
  service_options.token = TURNLOG_TRY(ReadToken(options, service_options.tokens, !inherited.empty()));
  std::unique_ptr<AccessLog> access_log;
  if (options.log_file) {
    access_log = TURNLOG_TRY(AccessLog::Open(*options.log_file));
    service_options.access_log = [&](std::string_view line) { access_log->Write(line); };
  }
  RaiseDescriptorLimit();
  const auto syncs = std::make_shared<SyncMetrics>();
  service_options.syncs = syncs;
  auto opened = OpenAlone(context, "serve",
                          [syncs](const SyncReport& report) { syncs->Add(report.took, report.appends, report.bytes); });
  if (!opened) return std::unexpected(HeldFailure(std::move(opened.error()), path));
  const std::unique_ptr<Log> log = *std::move(opened);
  service_options.reindex = [&log](const ReindexOptions& how) { return ReindexLog(*log, how); };
  service_options.set_compression = [&log](std::string_view text) -> Status {
    const auto compression = ParseCompression(text);
    if (compression) return SetCompression(*log, *compression);
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "compression must be none, fast or small"});
  };
  const auto service = TURNLOG_TRY(Service::Start(*log, service_options));
  PrintStart(context, *service, options.pair);
  if (access_log != nullptr) access_log->Note("start");
  while (signals.Wait() == SIGHUP) {
    const Status reloaded = service->ReloadCertificate();
    if (!reloaded) context.messages.Report(Failure(reloaded.error()));
    if (access_log == nullptr) continue;
    if (const auto reopened = access_log->Reopen(); !reopened) context.messages.Report(reopened.error());
    access_log->Note("reload", reloaded);
  }
  service->Stop();
  const Status closed = log->Close();
  if (access_log != nullptr) access_log->Note("stop", closed);
  TURNLOG_TRY(closed);
  return kFine;
}

}  // namespace

Action DefineServe(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "--listen", options->listen, "Serve also at this address; needs a token", "ADDRESS:PORT");
  const Parameter certificate = AddText(
      app, "--tls-cert", options->tls_cert,
      "Encrypt what goes over --listen with this certificate and its chain (PEM); SIGHUP reads it again", "FILE");
  AddText(app, "--tls-key", options->tls_key, "Its private key (PEM), which others must not be able to read", "FILE")
      .Needs(certificate);
  AddFlag(app, "--behind-proxy", options->behind_proxy,
          "A proxy that encrypts is in front of --listen, which may be an address that other machines reach");
  AddText(app, "--public-url", options->public_url, "The URL at which browsers reach the page through the proxy",
          "https://HOST/PATH");
  AddText(app, "--base-path", options->base_path, "Serve below this path; default: that of --public-url", "/PATH");
  const Parameter pair =
      AddFlag(app, "--pair", options->pair, "Print a link that opens the page in a browser, signed in");
  const Parameter sessions =
      AddFlag(app, "--sessions", options->sessions, "List the browsers that are signed in").Excludes(pair);
  AddText(app, "--end-session", options->end_session, "Sign a browser out", "SESSION")
      .Excludes(pair)
      .Excludes(sessions);
  AddText(app, "--token-file", options->token_file, "The token is in this file, instead of TURNLOG_TOKEN", "FILE");
  AddTexts(app, "--notify", options->notify,
           "When questions wait, tell webhook:URL (signed) or exec:COMMAND, without content; repeatable", "TARGET")
      .OneValueEach();
  AddText(app, "--notify-key-file", options->notify_key_file,
          "The key for signatures of webhooks is in this file, instead of TURNLOG_NOTIFY_KEY", "FILE");
  AddNumber(app, "--body-memory", options->body_memory,
            "Memory for the bodies of all requests, about four times their size; default: 2048", "MIB");
  AddText(app, "--log", options->log_file,
          "Append a line of JSON for each request, without contents; SIGHUP reopens it", "FILE");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
