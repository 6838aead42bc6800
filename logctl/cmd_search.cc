#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

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
  return WrongUsage(fmt::format("--kind: unknown kind of event \"{}\"", text),
                    fmt::format("give one of {}", fmt::join(names, ", ")));
}

SearchPattern PatternOf(const Options& options) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const bool smart = options.smart_case && std::ranges::none_of(options.pattern, is_upper);
  return {.text = options.pattern, .regex = options.regex, .ignore_case = options.ignore_case || smart};
}

Expected<SearchOptions> OptionsOf(const Options& options) {
  constexpr std::uint64_t kMaxContext = 1000;
  const std::uint64_t around = options.around.value_or(0);
  SearchOptions search_options{.conversations = options.conversations,
                               .tool = options.tool,
                               .before = options.before.value_or(around),
                               .after = options.after.value_or(around),
                               .limit = options.limit.value_or(UINT64_MAX),
                               .limit_each = options.list ? 1 : UINT64_MAX,
                               .lines = !options.list && !options.count,
                               .raw = options.raw,
                               .jobs = TURNLOG_TRY(JobsOf(options.jobs))};
  for (const std::string& kind : options.kinds) search_options.kinds.push_back(TURNLOG_TRY(ParseKind(kind)));
  if (options.since) search_options.since = TURNLOG_TRY(ParseTimeArgument("--since", *options.since));
  if (options.until) search_options.until = TURNLOG_TRY(ParseTimeArgument("--until", *options.until));
  if (std::max(search_options.before, search_options.after) > kMaxContext)
    return WrongUsage("-A, -B and -C must be at most 1000 events");
  if (!search_options.lines) search_options.before = search_options.after = 0;
  return search_options;
}

// A conversation given by id must exist; a glob may match none.
Expected<void> CheckConversations(Log& log, const std::vector<std::string>& conversations) {
  for (const std::string& text : conversations) {
    if (text.find_first_of("*?") != std::string::npos) continue;
    const auto id = TURNLOG_TRY(ParseConversation(text));
    TURNLOG_TRY(FindConversation(log, id));
  }
  return {};
}

std::unique_ptr<SearchReport> ReportOf(Context& context, const Options& options, bool around) {
  const SearchReport::Shape shape = options.list    ? SearchReport::Shape::kConversations
                                    : options.count ? SearchReport::Shape::kCounts
                                                    : SearchReport::Shape::kEvents;
  return context.globals.json ? SearchReportAsJson(context.out, shape) : SearchReportAsText(context.out, shape, around);
}

CommandResult Run(Context& context, const Options& options) {
  const SearchOptions search_options = TURNLOG_TRY(OptionsOf(options));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  TURNLOG_TRY(CheckConversations(*log, search_options.conversations));
  std::unique_ptr<SearchReport> report;  // created once the pattern is known to be valid
  const bool around = search_options.before > 0 || search_options.after > 0;
  bool damaged = false;
  const auto on_found = [&](std::variant<FoundEvent, Damage>&& found) {
    if (report == nullptr) report = ReportOf(context, options, around);
    if (const auto* damage = std::get_if<Damage>(&found)) {
      damaged = true;
      context.messages.Report(*damage);
      report->Add(*damage);
    } else {
      report->Add(std::get<FoundEvent>(found));
    }
    return !context.out.closed();
  };
  const auto totals = SearchStore(*log, PatternOf(options), search_options, on_found);
  if (!totals && totals.error().code == ErrorCode::kInvalidArgument) return WrongUsage(totals.error().message);
  if (!totals) return std::unexpected(Failure(totals.error()));
  if (report == nullptr) report = ReportOf(context, options, around);
  report->Finish(*totals);
  if (totals->matches == 0) context.messages.Note("no match");
  if (damaged) return kFailed;
  return options.check && totals->matches > 0 ? kFound : kFine;
}

}  // namespace

Action DefineSearch(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddText(app, "PATTERN", options->pattern, "The text to find, taken literally").Required();
  AddFlag(app, "-e,--regex", options->regex, "PATTERN is a regular expression (RE2)");
  AddFlag(app, "-i,--ignore-case", options->ignore_case, "Ignore case");
  AddFlag(app, "-S,--smart-case", options->smart_case, "Ignore case unless PATTERN has an upper-case letter");
  AddTexts(app, "--kind", options->kinds, "Only events of this kind, e.g. chat_request; repeatable", "KIND")
      .OneValueEach();
  AddText(app, "--tool", options->tool, "Only calls of this tool, with their results and inquiries", "NAME");
  AddTexts(app, "--conversation", options->conversations,
           "Only this conversation, or those that match this glob; repeatable", "CONV")
      .OneValueEach();
  AddTime(app, "--since", options->since, "Only events that are not older");
  AddTime(app, "--until", options->until, "Only older events");
  AddNumber(app, "-A,--after-context", options->after, "Print N events after each match");
  AddNumber(app, "-B,--before-context", options->before, "Print N events before each match");
  AddNumber(app, "-C,--context", options->around, "Print N events before and after each match");
  const Parameter count =
      AddFlag(app, "-c,--count", options->count, "Print only the number of matching events per conversation");
  AddFlag(app, "-l,--conversations", options->list, "Print only the conversations with a match").Excludes(count);
  AddNumber(app, "--limit", options->limit, "Stop after N matching events (with -l: conversations)");
  AddFlag(app, "--raw", options->raw, "The log itself instead of the sanitized view");
  AddFlag(app, "--check", options->check, "Exit with 3 if anything is found");
  AddNumber(app, "--jobs", options->jobs, "Conversations at a time; default: one per processor");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
