#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/search_report.h"
#include "logctl/store_access.h"
#include "logctl/time_argument.h"
#include "turnlog/search.h"

namespace turnlog {
namespace {

struct Options {
  std::string pattern;
  bool regex = false, ignore_case = false, smart_case = false;
  std::vector<std::string> kinds, conversations;
  std::optional<std::string> tool, since, until;
  std::optional<std::uint64_t> before, after, around, limit, jobs;
  bool count = false, list = false, raw = false, check = false;
};

constexpr EventKind kKinds[] = {EventKind::kTurnStart,       EventKind::kChatRequest,      EventKind::kChatResponse,
                                EventKind::kToolCallRequest, EventKind::kToolCallResponse, EventKind::kInquiryRequest,
                                EventKind::kInquiryResponse, EventKind::kConfigDelta,      EventKind::kCompaction,
                                EventKind::kRepair,          EventKind::kRedaction,        EventKind::kUnknown};

Expected<EventKind> ParseKind(std::string_view text) {
  const auto kind = std::ranges::find(kKinds, text, [](EventKind each) { return ToString(each); });
  if (kind != std::end(kKinds)) return *kind;
  std::vector<std::string_view> names;
  for (const EventKind each : kKinds) names.push_back(ToString(each));
  return WrongUsage(fmt::format("--kind: there is no kind of event \"{}\"", text),
                    fmt::format("{}", fmt::join(names, ", ")));
}

SearchPattern PatternOf(const Options& words) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const bool smart = words.smart_case && std::ranges::none_of(words.pattern, is_upper);
  return {.text = words.pattern, .regex = words.regex, .ignore_case = words.ignore_case || smart};
}

Expected<SearchOptions> OptionsOf(const Options& words) {
  constexpr std::uint64_t kMaxContext = 1000, kMaxJobs = 256;
  const std::uint64_t around = words.around.value_or(0);
  SearchOptions options{.conversations = words.conversations,
                        .tool = words.tool,
                        .before = words.before.value_or(around),
                        .after = words.after.value_or(around),
                        .limit = words.limit.value_or(UINT64_MAX),
                        .limit_each = words.list ? 1 : UINT64_MAX,
                        .lines = !words.list && !words.count,
                        .raw = words.raw,
                        .jobs = std::max(1U, std::thread::hardware_concurrency())};
  for (const std::string& kind : words.kinds) options.kinds.push_back(TURNLOG_TRY(ParseKind(kind)));
  if (words.since) options.since = TURNLOG_TRY(ParseTimeArgument("--since", *words.since));
  if (words.until) options.until = TURNLOG_TRY(ParseTimeArgument("--until", *words.until));
  if (std::max(options.before, options.after) > kMaxContext) return WrongUsage("-A, -B and -C go up to 1000 events");
  if (words.jobs && (*words.jobs == 0 || *words.jobs > kMaxJobs)) return WrongUsage("--jobs goes from 1 to 256");
  if (words.jobs) options.jobs = static_cast<unsigned>(*words.jobs);
  if (!options.lines) options.before = options.after = 0;
  return options;
}

// Conversations that are named must be there; globs may match none.
Expected<void> CheckConversations(Log& log, const std::vector<std::string>& conversations) {
  for (const std::string& text : conversations) {
    if (text.find_first_of("*?") != std::string::npos) continue;
    const auto id = TURNLOG_TRY(ParseConversation(text));
    TURNLOG_TRY(FindConversation(log, id));
  }
  return {};
}

std::unique_ptr<SearchReport> ReportOf(Context& context, const Options& words, bool around) {
  const SearchReport::Shape shape = words.list    ? SearchReport::Shape::kConversations
                                    : words.count ? SearchReport::Shape::kCounts
                                                  : SearchReport::Shape::kEvents;
  return context.globals.json ? SearchReportAsJson(context.out, shape) : SearchReportAsText(context.out, shape, around);
}

CommandResult Run(Context& context, const Options& words) {
  const SearchOptions options = TURNLOG_TRY(OptionsOf(words));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  TURNLOG_TRY(CheckConversations(*log, options.conversations));
  std::unique_ptr<SearchReport> report;  // not before the pattern is known to be one
  const bool around = options.before > 0 || options.after > 0;
  bool damaged = false;
  const auto on_found = [&](std::variant<FoundEvent, Damage>&& found) {
    if (report == nullptr) report = ReportOf(context, words, around);
    if (const auto* damage = std::get_if<Damage>(&found)) {
      damaged = true;
      context.messages.Report(*damage);
      report->Add(*damage);
    } else {
      report->Add(std::get<FoundEvent>(found));
    }
    return !context.out.closed();
  };
  const auto totals = SearchStore(*log, PatternOf(words), options, on_found);
  if (!totals && totals.error().code == ErrorCode::kInvalidArgument) return WrongUsage(totals.error().message);
  if (!totals) return std::unexpected(Failure(totals.error()));
  if (report == nullptr) report = ReportOf(context, words, around);
  report->Finish(*totals);
  if (totals->matches == 0) context.messages.Note("nothing found");
  if (damaged) return kFailed;
  return words.check && totals->matches > 0 ? kFound : kFine;
}

}  // namespace

Action DefineSearch(CLI::App& app) {
  auto words = std::make_shared<Options>();
  AddText(app, "PATTERN", words->pattern, "The text to find, as it is").Required();
  AddFlag(app, "-e,--regex", words->regex, "PATTERN is a regular expression (RE2)");
  AddFlag(app, "-i,--ignore-case", words->ignore_case, "Upper and lower case are the same");
  AddFlag(app, "-S,--smart-case", words->smart_case, "Likewise, unless PATTERN has an upper-case letter");
  AddTexts(app, "--kind", words->kinds, "Only events of this kind, e.g. chat_request; may be repeated", "KIND")
      .OneEach();
  AddText(app, "--tool", words->tool, "Only calls of this tool, their results, and what it asked", "NAME");
  AddTexts(app, "--conversation", words->conversations, "Only this one, or those that match a glob; may be repeated",
           "CONV")
      .OneEach();
  AddTime(app, "--since", words->since, "Only events from then on");
  AddTime(app, "--until", words->until, "Only events before");
  AddNumber(app, "-A,--after-context", words->after, "Also N events after each match");
  AddNumber(app, "-B,--before-context", words->before, "Also N events before each match");
  AddNumber(app, "-C,--context", words->around, "Both");
  const Word count = AddFlag(app, "-c,--count", words->count, "Only how many events match, by conversation");
  AddFlag(app, "-l,--conversations", words->list, "Only the conversations that have a match").Excludes(count);
  AddNumber(app, "--limit", words->limit, "At most N matching events (with -l, conversations)");
  AddFlag(app, "--raw", words->raw, "The log itself, without its repairs");
  AddFlag(app, "--check", words->check, "Exit with 3 if anything is found");
  AddNumber(app, "--jobs", words->jobs, "Conversations at a time; as many as there are processors if not said");
  return [words](Context& context) { return Run(context, *words); };
}

}  // namespace turnlog
