#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

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

Expected<std::string> ReadStandardInput() {
  std::string text;
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got == 0) return text;
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) {
      return Failed("cannot read standard input: " + std::generic_category().message(errno));
    }
  }
}

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

Expected<std::vector<Event>> ParseLines(std::string_view text) {
  std::vector<Event> events;
  EventParser parser;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (IsBlank(line)) continue;
    const auto event = parser.Parse(line);
    if (!event) return Failed(fmt::format("<stdin>:{}: {}", number, event.error().message), "nothing was appended");
    events.push_back(Own(*event));
  }
  if (events.empty()) return Failed("<stdin>: there are no events", "give one JSON object per line");
  return events;
}

void PrintJson(Output& out, const ConversationId& id, const AppendResult& receipt) {
  JsonDocument json(out);
  json.Field("conversation", id.text());
  json.Array("events");
  for (const AppendedEvent& event : receipt.events) {
    json.Object();
    json.Field("seq", event.seq);
    json.Field("repeated", event.repeated);
    json.Field("redacted", event.redacted);
    json.EndObject();
  }
  json.EndArray();
}

void PrintText(Context& context, const ConversationId& id, const AppendResult& receipt) {
  Seq first, last;
  std::uint64_t repeated = 0;
  for (const AppendedEvent& event : receipt.events) {
    if (event.repeated) {
      ++repeated;
      context.messages.Note(fmt::format("event {} was there already{}; its event_id is known", event.seq.value,
                                        event.redacted ? " and has been redacted since" : ""));
    } else {
      if (first.value == 0) first = event.seq;
      last = event.seq;
    }
  }
  const std::uint64_t added = receipt.events.size() - repeated;
  std::string text = fmt::format("{}: {} appended", Printable(id.text()), Counted(added, "event"));
  if (added > 0)
    text += added == 1 ? fmt::format(" as {}", first.value) : fmt::format(" as {}..{}", first.value, last.value);
  context.out.Write(text + "\n");
}

Failure AppendFailure(const Error& error, const ConversationId& id, std::uint64_t expected) {
  if (error.code != ErrorCode::kConflict || !error.last_seq) return error;
  if (*error.last_seq <= expected) return {kFailed, error.message, "look at what is there, then decide anew"};
  return {kFailed, error.message,
          fmt::format("look at what is new, then decide anew: logctl cat {} --from {}", id.text(), expected + 1)};
}

CommandResult Run(Context& context, const Options& words) {
  const auto id = TURNLOG_TRY(ParseConversation(words.conversation));
  TURNLOG_TRY(StorePath(context));
  if (::isatty(STDIN_FILENO) == 1) context.messages.Note("reading JSON lines from the terminal; Ctrl-D ends");
  const std::string input = TURNLOG_TRY(ReadStandardInput());
  const auto events = TURNLOG_TRY(ParseLines(input));
  AppendOptions options;
  options.durability = words.durability == "sync" ? Durability::kSync : Durability::kBuffered;
  if (words.expect) options.expected_last = Seq{*words.expect};
  const auto log = TURNLOG_TRY(OpenToWrite(context, "append"));
  const auto receipt = log->Append(id, events, options);
  if (!receipt) return std::unexpected(AppendFailure(receipt.error(), id, words.expect.value_or(0)));
  TURNLOG_TRY(log->Close());
  if (context.globals.json) {
    PrintJson(context.out, id, *receipt);
  } else if (!context.globals.quiet) {
    PrintText(context, id, *receipt);
  }
  return kFine;
}

}  // namespace

Action DefineAppend(CLI::App& app) {
  auto words = std::make_shared<Options>();
  AddText(app, "CONV", words->conversation, "The conversation; made with its first event").Required();
  AddNumber(app, "--expect", words->expect, "Refuse unless this is its last event (0: it is new)", "SEQ");
  AddText(app, "--durability", words->durability, "sync: on disk when it returns; buffered: survives the process",
          "sync|buffered")
      .OneOf({"sync", "buffered"});
  return [words](Context& context) { return Run(context, *words); };
}

}  // namespace turnlog
