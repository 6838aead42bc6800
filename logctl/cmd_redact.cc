#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/try.h"
#include "logctl/accepted_findings.h"
#include "logctl/backup_notes.h"
#include "logctl/command.h"
#include "logctl/freed_memory.h"
#include "logctl/given_values.h"
#include "logctl/private_memory.h"
#include "logctl/redact_report.h"
#include "logctl/secret_streams.h"
#include "logctl/store_access.h"
#include "turnlog/redaction/redact.h"
#include "turnlog/service/remote_maintenance.h"

namespace turnlog {
namespace {

struct Options {
  std::optional<std::string> inquiry, conversation, by;
  std::optional<std::uint64_t> turn;
  std::string rules;
  bool secrets = false;
  bool values_stdin = false;
  bool null = false;
  std::vector<std::string> value_files;
  bool detect = false;
  bool dry_run = false;
  bool all = false;
  bool report = false;
  bool explain = false;
  std::optional<std::uint64_t> jobs;
  std::optional<std::string> baseline, write_baseline;
};

std::string UserAtHost() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host.front() = '\0';
  const passwd* user = ::getpwuid(::geteuid());
  const std::string name = user != nullptr ? user->pw_name : std::to_string(::geteuid());
  return fmt::format("{}@{}", name, host.data());
}

Expected<void> CheckOptions(const Options& options) {
  if (!options.secrets && !options.inquiry && !options.values_stdin && options.value_files.empty() && !options.detect) {
    return WrongUsage(
        "nothing to redact",
        "give --secrets, --inquiry ID, --values-stdin, --value-file FILE or --detect, or several of them");
  }
  if (options.turn && !options.inquiry) return WrongUsage("--turn needs --inquiry");
  if (options.conversation && !options.inquiry) return WrongUsage("--conversation needs --inquiry");
  if (options.null && !options.values_stdin) return WrongUsage("--null needs --values-stdin");
  if (!options.rules.empty() && !options.detect) return WrongUsage("--rules needs --detect");
  if ((options.baseline || options.write_baseline) && !options.detect) {
    return WrongUsage("--baseline and --write-baseline need --detect");
  }
  (void)TURNLOG_TRY(JobsOf(options.jobs));
  if (options.by && options.by->empty()) return WrongUsage("--by needs a name");
  if (options.write_baseline && !options.dry_run) return WrongUsage("--write-baseline needs --dry-run");
  if (options.values_stdin && ::isatty(STDIN_FILENO) == 1) {
    return WrongUsage("standard input is a terminal, which would show the values",
                      "pipe the values: pass show deploy-key | logctl redact --values-stdin");
  }
  return {};
}

Expected<void> ReadValues(const Options& options, GivenValues& given) {
  if (options.values_stdin) TURNLOG_TRY(given.AddStandardInput(options.null));
  for (const std::string& file : options.value_files) TURNLOG_TRY(given.AddFile(file));
  return {};
}

Expected<RedactionTargets> TargetsOf(const Options& options, Log& log, const GivenValues& given) {
  RedactionTargets targets{.secrets = options.secrets,
                           .inquiries = {},
                           .values = given.values(),
                           .detect = options.detect,
                           .rules = options.rules,
                           .only_new = !options.all,
                           .accepted = {},
                           .jobs = TURNLOG_TRY(JobsOf(options.jobs))};
  if (options.baseline) targets.accepted = TURNLOG_TRY(ReadAcceptedFindings(*options.baseline));
  if (!options.inquiry) return targets;
  InquiryToRedact inquiry{*options.inquiry, {}, {}};
  if (options.turn) inquiry.turn = Turn{*options.turn};
  if (options.conversation) {
    inquiry.conversation = TURNLOG_TRY(ParseConversation(*options.conversation));
    TURNLOG_TRY(FindConversation(log, *inquiry.conversation));
  }
  targets.inquiries.push_back(std::move(inquiry));
  return targets;
}

RedactionDetail ReportOf(const Options& options) {
  return options.explain  ? RedactionDetail::kExplained
         : options.report ? RedactionDetail::kSecrets
                          : RedactionDetail::kConversations;
}

CommandResult FinishDryRun(Context& context, const Options& options, const RedactionTargets& targets,
                           const Redaction& redaction) {
  const RedactionPlan& plan = redaction.plan();
  if (options.write_baseline) {
    const std::vector<AcceptedFinding> found = redaction.Findings();
    TURNLOG_TRY(WriteAcceptedFindings(*options.write_baseline, found, targets.accepted));
    if (std::ranges::any_of(found, &HoldsNameSecret)) {
      context.messages.Warn(fmt::format("{} has names of conversations that hold presumed secrets: do not share it",
                                        *options.write_baseline));
    }
  }
  PrintPlan(context, plan, ReportOf(options));
  return plan.complete() ? kFine : kFailed;
}

CommandResult Finish(Context& context, const Options& options, Log& log, const RedactionPlan& plan,
                     const RedactionProof& proof) {
  context.messages.EndProgress();
  TURNLOG_TRY(log.Close());
  Expected<std::vector<KeptCopy>> copies;
  if (plan.events() > 0) copies = FindOtherCopies(context);
  PrintRedaction(context, plan, proof, copies.value_or(std::vector<KeptCopy>()), ReportOf(options));
  WarnAbout(context.messages, TURNLOG_TRY(std::move(copies)));
  return proof.clean() && plan.complete() ? kFine : kFailed;
}

// As a job of the service that has the store open.
CommandResult RedactThere(Context& context, const Options& options, Log& log, const RedactionTargets& targets,
                          const GivenValues& given) {
  const auto warn = [&](const RedactionPlan& plan) {
    context.messages.EndProgress();
    WarnAbout(context.messages, plan, given.names());
  };
  const auto redaction =
      RedactThroughService(log, targets, options.by.value_or(UserAtHost()), ShowProgress(context, "redacting"), warn);
  context.messages.EndProgress();
  if (!redaction) return std::unexpected(Failure(redaction.error()));
  return Finish(context, options, log, redaction->plan, redaction->proof);
}

CommandResult Run(Context& context, const Options& options) {
  KeepMemoryPrivate();
  KeepFreedMemory();
  TURNLOG_TRY(CheckOptions(options));
  GivenValues given;
  TURNLOG_TRY(ReadValues(options, given));
  const auto log = TURNLOG_TRY(options.dry_run ? OpenToRead(context) : OpenToChange(context, "redact"));
  const RedactionTargets targets = TURNLOG_TRY(TargetsOf(options, *log, given));
  if (!options.dry_run && IsThroughService(*log)) return RedactThere(context, options, *log, targets, given);
  const auto redaction = TURNLOG_TRY(Redaction::Plan(*log, targets, ShowProgress(context, "searching")));
  context.messages.EndProgress();
  WarnAbout(context.messages, redaction->plan(), given.names());
  if (options.dry_run) return FinishDryRun(context, options, targets, *redaction);
  TURNLOG_TRY(redaction->Apply(options.by.value_or(UserAtHost()), ShowProgress(context, "redacting")));
  const RedactionProof proof = TURNLOG_TRY(redaction->Prove(ShowProgress(context, "proving")));
  return Finish(context, options, *log, redaction->plan(), proof);
}

}  // namespace

Action DefineRedact(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddFlag(app, "--secrets", options->secrets, "Stored answers to questions that ask for a secret");
  AddText(app, "--inquiry", options->inquiry, "The answers to this inquiry", "ID");
  AddNumber(app, "--turn", options->turn, "With --inquiry: only in this turn");
  AddText(app, "--conversation", options->conversation, "With --inquiry: only in this conversation", "CONV");
  AddFlag(app, "--values-stdin", options->values_stdin, "The values on standard input, one per line");
  AddFlag(app, "--null", options->null, "With --values-stdin: values end with a NUL and may have several lines");
  AddTexts(app, "--value-file", options->value_files, "A file that is one value, of any number of lines; repeatable",
           "FILE")
      .OneValueEach();
  AddFlag(app, "--detect", options->detect, "Values that look like keys, tokens or passwords");
  AddText(app, "--rules", options->rules, "With --detect: a file of additional rules", "FILE");
  AddFlag(app, "--all", options->all, "Also what an earlier run with the same rules has read");
  AddText(app, "--baseline", options->baseline, "With --detect: a file of findings that are no secrets", "FILE");
  AddText(app, "--write-baseline", options->write_baseline,
          "With --detect --dry-run: write that file, with everything that is found", "FILE");
  AddFlag(app, "--report", options->report, "Print what was found by secret, and where to revoke it");
  AddFlag(app, "--explain", options->explain, "Also say why each secret is one, without quoting it; implies --report");
  AddText(app, "--by", options->by, "Who redacts, for the record; default: user@host", "WHO");
  AddFlag(app, "--dry-run", options->dry_run, "Print what would be redacted; write nothing");
  AddNumber(app, "--jobs", options->jobs, "Threads; default: one per processor");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
