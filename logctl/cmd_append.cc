#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/errno_text.h"
#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

struct Options {
  std::string conversation;
  std::optional<std::uint64_t> expect;
  std::string durability = "sync";
};

// With capacity to spare, as ParseOwned wants it.
Expected<std::string> ReadStandardInput() {
  constexpr std::size_t kPiece = 65536;
  std::string text;
  struct stat about{};
  const bool is_file = ::fstat(STDIN_FILENO, &about) == 0 && S_ISREG(about.st_mode);
  text.reserve((is_file ? static_cast<std::size_t>(about.st_size) : 0) + 2 * kPiece);
  for (;;) {
    const std::size_t size = text.size();
    if (text.capacity() - size < kPiece) text.reserve(2 * text.capacity());
    ssize_t got = 0;
    text.resize_and_overwrite(size + kPiece, [&](char* all, std::size_t) {
      got = ::read(STDIN_FILENO, all + size, kPiece);
      return size + static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    });
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) return Failed("cannot read standard input: " + ErrnoText(errno));
  }
}

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// The events of the lines, of which there may be one that is large: it is in memory once.
class InputEvents {
 public:
  Expected<void> Parse(std::string input) {
    while (!input.empty() && IsBlank({&input.back(), 1})) input.pop_back();
    if (!input.contains('\n')) return ParseOnly(std::move(input));
    std::string_view text = input;
    for (std::size_t number = 1; !text.empty(); ++number) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (!IsBlank(line)) owned_.push_back(Own(TURNLOG_TRY(At(number, parser_.Parse(line)))));
    }
    for (const Event& event : owned_) views_.push_back(View(event));
    return {};
  }
  std::span<const EventView> views() const { return views_; }

 private:
  Expected<void> ParseOnly(std::string line) {
    if (line.empty()) return Failed("<stdin>: no events", "give one JSON object per line");
    views_.push_back(TURNLOG_TRY(At(1, parser_.ParseOwned(std::move(line)))));
    return {};
  }

  static Expected<EventView> At(std::size_t line, Result<EventView> event) {
    if (event) return *std::move(event);
    return Failed(fmt::format("<stdin>:{}: {}", line, event.error().message), "nothing was appended");
  }

  EventParser parser_;
  std::vector<Event> owned_;
  std::vector<EventView> views_;  // of these, or of the parser
};

void PrintJson(Output& out, const ConversationId& id, const AppendResult& result) {
  JsonDocument json(out);
  json.Field("conversation", id.text());
  json.Array("events");
  for (const AppendedEvent& event : result.events) {
    json.Object();
    json.Field("seq", event.seq);
    json.Field("repeated", event.repeated);
    json.Field("redacted", event.redacted);
    json.EndObject();
  }
  json.EndArray();
}

void PrintText(Context& context, const ConversationId& id, const AppendResult& result) {
  Seq first, last;
  std::uint64_t repeated = 0;
  for (const AppendedEvent& event : result.events) {
    if (event.repeated) {
      ++repeated;
      context.messages.Note(fmt::format("event {} has this event_id already{}; not appended again", event.seq.value,
                                        event.redacted ? ", and was redacted" : ""));
    } else {
      if (first.value == 0) first = event.seq;
      last = event.seq;
    }
  }
  const std::uint64_t added = result.events.size() - repeated;
  std::string text = fmt::format("{}: {} appended", Printable(id.text()), Counted(added, "event"));
  if (added > 0)
    text += added == 1 ? fmt::format(" as {}", first.value) : fmt::format(" as {}..{}", first.value, last.value);
  context.out.Write(text + "\n");
}

Failure AppendFailure(const Error& error, const ConversationId& id, std::uint64_t expected) {
  if (error.code != ErrorCode::kConflict || !error.last_seq) return error;
  if (*error.last_seq <= expected)
    return {kFailed, error.message, fmt::format("read its events first: logctl cat {}", id.text())};
  return {kFailed, error.message,
          fmt::format("read the new events first: logctl cat {} --from {}", id.text(), expected + 1)};
}

CommandResult Run(Context& context, const Options& options) {
  const auto id = TURNLOG_TRY(ParseConversation(options.conversation));
  TURNLOG_TRY(StoreLocation(context));
  if (::isatty(STDIN_FILENO) == 1) context.messages.Note("reading JSON lines from the terminal; Ctrl-D ends the input");
  std::string input = TURNLOG_TRY(ReadStandardInput());
  InputEvents events;
  TURNLOG_TRY(events.Parse(std::move(input)));
  AppendOptions append_options;
  append_options.durability = options.durability == "sync" ? Durability::kSync : Durability::kBuffered;
  if (options.expect) append_options.expected_last = Seq{*options.expect};
  // A mistyped location must not create a store, which would not have the expected event.
  const auto log =
      TURNLOG_TRY(options.expect.value_or(0) > 0 ? OpenToChange(context, "append") : OpenToWrite(context, "append"));
  const auto result = log->Append(id, events.views(), append_options);
  if (!result) return std::unexpected(AppendFailure(result.error(), id, options.expect.value_or(0)));
  TURNLOG_TRY(log->Close());
  if (context.globals.json) {
    PrintJson(context.out, id, *result);
  } else if (!context.globals.quiet) {
    PrintText(context, id, *result);
  }
  return kFine;
}

}  // namespace

Action DefineAppend(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "CONV", options->conversation, "The conversation; created by its first event").Required();
  AddNumber(app, "--expect", options->expect, "Append only if this is the last event (0: only to a new conversation)",
            "SEQ");
  AddText(app, "--durability", options->durability,
          "sync (default): on disk when it returns; buffered: survives the process, not a power loss", "sync|buffered")
      .OneOf({"sync", "buffered"});
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
