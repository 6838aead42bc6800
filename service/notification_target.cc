#include "service/notification_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): signal sets are POSIX
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

#include "base/errno_text.h"
#include "base/try.h"
#include "http/web_client.h"
#include "service/call.h"
#include "service/digest.h"
#include "service/public_address.h"
#include "turnlog/service/service.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has it in no header

namespace turnlog {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::string_view kWebhook = "webhook:", kExec = "exec:";
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr milliseconds kLook{20};  // between two looks at a command that runs
constexpr std::array<std::string_view, 2> kOurSecrets{"TURNLOG_TOKEN=", "TURNLOG_NOTIFY_KEY="};

std::unexpected<Error> Wrong(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}
std::unexpected<Error> Failed(std::string message) {
  return std::unexpected(Error{ErrorCode::kIo, std::move(message)});
}

class Webhook : public NotificationTarget {
 public:
  Webhook(WebAddress address, const SecretString& key) : address_(std::move(address)), key_(key) {}

  std::string_view kind() const override { return "webhook"; }
  Status Send(const std::string& body, milliseconds timeout) override {
    const std::string signature = NotificationSignature(key_.view(), TimeNow().nanos / kNanosPerSecond, body);
    const std::vector<HttpHeader> headers{
        {"Content-Type", "application/json"}, {"User-Agent", "turnlog"}, {std::string(kSignatureHeader), signature}};
    const int status = TURNLOG_TRY(client_.Post(address_, headers, body, timeout));
    if (status >= 200 && status < 300) return {};
    return Failed(fmt::format("the receiver answered with status {}", status));
  }
  void Abort() override { client_.Abort(); }

 private:
  const WebAddress address_;
  const SecretString key_;
  WebClient client_;
};

// How a command is started: in a process group of its own, which can be ended as a whole, with no signal blocked.
class SpawnSettings {
 public:
  explicit SpawnSettings(int input) {
    (void)::posix_spawn_file_actions_init(&files_);
    (void)::posix_spawn_file_actions_adddup2(&files_, input, STDIN_FILENO);
    (void)::posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    (void)::posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    (void)::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    (void)::sigemptyset(&none);
    (void)::sigfillset(&all);
    (void)::posix_spawnattr_setsigmask(&attributes_, &none);
    (void)::posix_spawnattr_setsigdefault(&attributes_, &all);
    (void)::posix_spawnattr_setpgroup(&attributes_, 0);
    (void)::posix_spawnattr_setflags(&attributes_,
                                     POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    (void)::posix_spawnattr_destroy(&attributes_);
    (void)::posix_spawn_file_actions_destroy(&files_);
  }
  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

class Command : public NotificationTarget {
 public:
  explicit Command(std::string_view line) : line_(line) {}

  std::string_view kind() const override { return "exec"; }

  Status Send(const std::string& body, milliseconds timeout) override {
    const pid_t process = TURNLOG_TRY(Start(body));
    const auto end = steady_clock::now() + timeout;
    int status = 0;
    for (;;) {
      const pid_t done = ::waitpid(process, &status, WNOHANG);
      if (done == process) break;
      if (done < 0 && errno != EINTR) return Failed(ErrnoText(errno));
      if (aborted_ || steady_clock::now() >= end) {
        (void)::kill(-process, SIGKILL);
        (void)::waitpid(process, &status, 0);
        return Failed("the command took too long");
      }
      std::this_thread::sleep_for(kLook);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return Failed("the command failed");
  }
  void Abort() override { aborted_ = true; }

 private:
  Result<pid_t> Start(const std::string& body) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Failed(ErrnoText(errno));
    const SocketDescriptor input(ends[0]), output(ends[1]);
    // It fits into the pipe, so this does not wait for the command.
    if (::write(output.number(), body.data(), body.size()) < 0) return Failed(ErrnoText(errno));
    const SpawnSettings settings(input.number());
    std::array<std::string, 3> arguments{"sh", "-c", line_};
    std::array<char*, 4> argv{arguments[0].data(), arguments[1].data(), arguments[2].data(), nullptr};
    std::vector<char*> environment = Environment();
    pid_t process = 0;
    const int error =
        ::posix_spawn(&process, "/bin/sh", settings.files(), settings.attributes(), argv.data(), environment.data());
    if (error != 0) return Failed(ErrnoText(error));
    return process;
  }

  // That of the service, without what only the service may know.
  static std::vector<char*> Environment() {
    std::vector<char*> variables;
    for (char** each = environ; *each != nullptr; ++each) {
      const std::string_view variable = *each;
      if (std::ranges::none_of(kOurSecrets, [&](std::string_view name) { return variable.starts_with(name); })) {
        variables.push_back(*each);
      }
    }
    variables.push_back(nullptr);
    return variables;
  }

  const std::string line_;
  std::atomic<bool> aborted_ = false;
};

// By its address: a name that begins like one is not.
bool IsOnThisMachine(const WebAddress& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  const auto at = ParseTcpAddress(fmt::format("{}{}{}:{}", v6 ? "[" : "", address.host, v6 ? "]" : "", address.port));
  return at && IsLoopback(*at);
}

Result<std::unique_ptr<NotificationTarget>> ParseWebhook(std::string_view url, const SecretString& key) {
  WebAddress address = TURNLOG_TRY(ParseWebAddress(url));
  if (!address.encrypted && !IsOnThisMachine(address)) {
    return Wrong("a webhook must begin with https://, unless it is on this machine");
  }
  if (key.size() < kMinTokenBytes) {
    return Wrong(fmt::format("a webhook needs a key of at least {} characters to sign with", kMinTokenBytes));
  }
  return std::make_unique<Webhook>(std::move(address), key);
}

}  // namespace

std::string NotificationSignature(std::string_view key, std::int64_t unix_seconds, std::string_view body) {
  return fmt::format("t={},v1={}", unix_seconds, HmacSha256Hex(key, fmt::format("{}.{}", unix_seconds, body)));
}

Result<std::unique_ptr<NotificationTarget>> ParseNotificationTarget(std::string_view text, const SecretString& key) {
  if (text.starts_with(kWebhook)) return ParseWebhook(text.substr(kWebhook.size()), key);
  if (text.starts_with(kExec) && text.size() > kExec.size()) {
    return std::make_unique<Command>(text.substr(kExec.size()));
  }
  return Wrong("a notification goes to webhook:URL or exec:COMMAND");
}

}  // namespace turnlog
