#include <functional>
#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/sanitize_report.h"
#include "logctl/store_access.h"
#include "turnlog/sanitize/sanitize_store.h"

namespace turnlog {
namespace {

struct Options {
  std::vector<std::string> conversations;
  std::string profile = "strict";
  bool close_open = false;
  bool all = false;
  bool dry_run = false;
  bool check = false;
  std::optional<std::uint64_t> jobs;
};

Expected<StorePass> PassOf(const Options& options) {
  const bool strict = options.profile == "strict";
  if (options.close_open && !strict) return WrongUsage("--close-open needs --profile strict");
  if (options.all && !options.conversations.empty()) return WrongUsage("give conversations or --all, not both");
  return StorePass{
      .options = {.profile = strict ? RepairProfile::kStrict : RepairProfile::kJp082, .close_open = options.close_open},
      .apply = !options.dry_run && !options.check,
      // --close-open also repairs open turns of conversations that have not grown.
      .unchanged = options.all || options.close_open,
      .jobs = TURNLOG_TRY(JobsOf(options.jobs))};
}

class Run {
 public:
  Run(Context& context, SanitizeReport& report, std::uint64_t total)
      : context_(context), report_(report), total_(total) {}

  bool operator()(const ConversationId& conversation, const Result<SanitizeOutcome>& outcome) {
    if (outcome) {
      totals_.Add(outcome->plan);
      report_.Add(conversation, *outcome);
    } else {
      ++totals_.failed;
      context_.messages.Report(
          Failure(Error{outcome.error().code, conversation.text() + ": " + outcome.error().message}));
      report_.AddFailed(conversation, outcome.error());
    }
    context_.messages.Progress("sanitizing", totals_.checked + totals_.failed, total_);
    return !context_.out.closed();
  }

  const SanitizeTotals& totals() const { return totals_; }

 private:
  Context& context_;
  SanitizeReport& report_;
  const std::uint64_t total_;
  SanitizeTotals totals_;
};

CommandResult Sanitize(Context& context, const Options& options) {
  const StorePass pass = TURNLOG_TRY(PassOf(options));
  const auto log = TURNLOG_TRY(pass.apply ? OpenToChange(context, "sanitize") : OpenToRead(context));
  const auto named = TURNLOG_TRY(FindConversations(*log, options.conversations));
  const auto report = context.globals.json ? SanitizeReportAsJson(context.out, pass.options.profile, pass.apply)
                                           : SanitizeReportAsText(context.out, pass.apply);
  Run run(context, *report, named.empty() ? TURNLOG_TRY(log->Stats()).conversations : named.size());
  if (named.empty()) {
    TURNLOG_TRY(SanitizeStore(*log, pass, std::ref(run)));
  } else {
    SanitizeConversations(*log, named, pass, std::ref(run));
  }
  if (pass.apply) TURNLOG_TRY(log->Close());
  context.messages.EndProgress();
  report->Finish(run.totals());
  if (run.totals().failed > 0) return kFailed;
  return options.check && run.totals().changed > 0 ? kFound : kFine;
}

}  // namespace

Action DefineSanitize(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddTexts(app, "CONV", options->conversations, "The conversations; default: all with new events since their last run");
  AddText(app, "--profile", options->profile, "The rules: strict (default) or jp082", "NAME")
      .OneOf({"strict", "jp082"});
  AddFlag(app, "--close-open", options->close_open,
          "Also repair an incomplete last turn, which an agent may be working on");
  AddFlag(app, "--all", options->all, "All conversations, also without new events");
  AddFlag(app, "--dry-run", options->dry_run, "Print what would change; write nothing");
  AddFlag(app, "--check", options->check, "Like --dry-run, and exit with 3 if anything would change");
  AddNumber(app, "--jobs", options->jobs, "Conversations at a time; default: one per processor");
  return [options](Context& context) { return Sanitize(context, *options); };
}

}  // namespace turnlog
