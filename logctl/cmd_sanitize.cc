#include <algorithm>
#include <functional>
#include <memory>
#include <thread>

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

Expected<StorePass> PassOf(const Options& words) {
  constexpr std::uint64_t kMaxJobs = 256;
  const bool strict = words.profile == "strict";
  if (words.close_open && !strict) return WrongUsage("--close-open belongs to --profile strict");
  if (words.all && !words.conversations.empty()) return WrongUsage("either name conversations or say --all");
  if (words.jobs && (*words.jobs == 0 || *words.jobs > kMaxJobs)) return WrongUsage("--jobs goes from 1 to 256");
  return StorePass{
      .options = {.profile = strict ? RepairProfile::kStrict : RepairProfile::kJp082, .close_open = words.close_open},
      .apply = !words.dry_run && !words.check,
      // What was left open does not change by itself.
      .unchanged = words.all || words.close_open,
      .jobs = static_cast<unsigned>(words.jobs.value_or(std::max(1U, std::thread::hardware_concurrency())))};
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

CommandResult Sanitize(Context& context, const Options& words) {
  const StorePass pass = TURNLOG_TRY(PassOf(words));
  const auto log = TURNLOG_TRY(pass.apply ? OpenToChange(context, "sanitize") : OpenToRead(context));
  const auto named = TURNLOG_TRY(FindConversations(*log, words.conversations));
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
  return words.check && run.totals().changed > 0 ? kFound : kFine;
}

}  // namespace

Action DefineSanitize(CLI::App& app) {
  auto words = std::make_shared<Options>();
  AddTexts(app, "CONV", words->conversations,
           "The conversations; if none is named, all that have grown since they were sanitized last");
  AddText(app, "--profile", words->profile, "The rules: strict or jp082", "NAME").OneOf({"strict", "jp082"});
  AddFlag(app, "--close-open", words->close_open, "Repair the last turn too although an agent may be at work in it");
  AddFlag(app, "--all", words->all, "All conversations, whether they have grown or not");
  AddFlag(app, "--dry-run", words->dry_run, "Only say what would change");
  AddFlag(app, "--check", words->check, "Likewise, and exit with 3 if anything would");
  AddNumber(app, "--jobs", words->jobs, "Conversations at a time; as many as there are processors if not said");
  return [words](Context& context) { return Sanitize(context, *words); };
}

}  // namespace turnlog
