#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is POSIX

#include <chrono>
#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/event_lines.h"
#include "logctl/store_access.h"

namespace turnlog {
namespace {

constexpr std::chrono::milliseconds kCheckInterval{
    200};  // how often a waiting tail checks for signals and a closed output
constexpr std::uint64_t kRecordsPerFlush = 1000;

struct Options {
  std::optional<std::string> conversation;
  std::optional<std::string> from;
  bool follow = false;
};

volatile sig_atomic_t stop_requested = 0;

// The first signal ends the tail after the current event, a second one ends the process.
void StopOnSignals() {
  struct sigaction action{};
  action.sa_handler = [](int) { stop_requested = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  (void)::sigaction(SIGINT, &action, nullptr);
  (void)::sigaction(SIGTERM, &action, nullptr);
}

std::unexpected<Failure> NoPosition(std::string_view text, const Error& error) {
  return WrongUsage(fmt::format("--from {}: {}", text, error.message), "\"begin\" and \"end\" are positions too");
}

Expected<Position> StartPosition(Log& log, const Options& options) {
  const std::string from = options.from.value_or(options.follow ? "end" : "begin");
  if (from == "begin") return Position{};
  if (from == "end") return TURNLOG_TRY(log.End());
  const auto position = Position::Parse(from);
  if (position) return *position;
  return NoPosition(from, position.error());
}

Expected<std::unique_ptr<Tail>> Follow(Log& log, const Position& from,
                                       const std::optional<ConversationId>& conversation) {
  auto tail = log.Follow(from, conversation);
  if (tail) return *std::move(tail);
  if (tail.error().code == ErrorCode::kInvalidArgument) return NoPosition(from.ToText(), tail.error());
  return std::unexpected(Failure(tail.error()));
}

// Prints a tail. `done()` is the position after the last record that was written to standard output.
class Follower {
 public:
  Follower(Context& context, Tail& tail) : context_(context), tail_(tail), lines_(context), done_(tail.position()) {}

  Expected<void> ToTheEnd() {
    for (std::uint64_t count = 1; !context_.out.closed() && stop_requested == 0; ++count) {
      const Item item = TURNLOG_TRY(tail_.Next());
      if (std::holds_alternative<EndOfLog>(item)) break;
      TURNLOG_TRY(lines_.Add(item));
      if (count % kRecordsPerFlush == 0) Flush();
    }
    Flush();
    return {};
  }

  Expected<void> UntilStopped() {
    while (!context_.out.closed() && stop_requested == 0) {
      const bool more = TURNLOG_TRY(tail_.Wait(kCheckInterval));
      if (more) TURNLOG_TRY(ToTheEnd());
      context_.out.DetectClosedPipe();
    }
    return {};
  }

  Position done() const { return done_; }
  ExitCode exit_code() const { return lines_.exit_code(); }

 private:
  void Flush() {
    context_.out.Flush();
    if (!context_.out.closed()) done_ = tail_.position();
  }

  Context& context_;
  Tail& tail_;
  EventLines lines_;
  Position done_;
};

CommandResult Run(Context& context, const Options& options) {
  std::optional<ConversationId> conversation;
  if (options.conversation) conversation = TURNLOG_TRY(ParseConversation(*options.conversation));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  if (conversation && !options.follow) TURNLOG_TRY(FindConversation(*log, *conversation));
  const Position from = TURNLOG_TRY(StartPosition(*log, options));
  const auto tail = TURNLOG_TRY(Follow(*log, from, conversation));
  Follower follower(context, *tail);
  if (options.follow) StopOnSignals();
  auto status = follower.ToTheEnd();
  if (status && options.follow) status = follower.UntilStopped();
  context.messages.Note("position " + follower.done().ToText());
  if (!status) return std::unexpected(std::move(status).error());
  return follower.exit_code();
}

}  // namespace

Action DefineTail(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "CONV", options->conversation, "Only this conversation");
  AddFlag(app, "-f,--follow", options->follow, "Wait for new events; Ctrl-C ends");
  AddText(app, "--from", options->from,
          "Start at this position, \"begin\" (the default), or \"end\" (the default with -f)", "POSITION");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
