#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/secret_string.h"
#include "base/try.h"
#include "logctl/backup_notes.h"
#include "logctl/command.h"
#include "logctl/private_memory.h"
#include "logctl/redact_report.h"
#include "logctl/store_access.h"
#include "logctl/terminal.h"
#include "turnlog/redaction/redact.h"

namespace turnlog {
namespace {

struct Options {
  std::optional<std::string> inquiry, conversation, by;
  std::optional<std::uint64_t> turn;
  std::string rules;
  bool secrets = false;
  bool values_stdin = false;
  bool detect = false;
  bool dry_run = false;
};

// The lines of a text that are not empty.
std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// The user and the machine that the program runs as and on.
std::string WhoWeAre() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host.front() = '\0';
  const passwd* user = ::getpwuid(::geteuid());
  const std::string name = user != nullptr ? user->pw_name : std::to_string(::geteuid());
  return fmt::format("{}@{}", name, host.data());
}

Expected<void> CheckWords(const Options& words) {
  if (!words.secrets && !words.inquiry && !words.values_stdin && !words.detect) {
    return WrongUsage("what is to go?", "say --secrets, --inquiry ID, --values-stdin or --detect, or several of them");
  }
  if (words.turn && !words.inquiry) return WrongUsage("--turn belongs to --inquiry");
  if (words.conversation && !words.inquiry) return WrongUsage("--conversation belongs to --inquiry");
  if (!words.rules.empty() && !words.detect) return WrongUsage("--rules belongs to --detect");
  if (words.values_stdin && ::isatty(STDIN_FILENO) == 1) {
    return WrongUsage("standard input is a terminal, which would show the values",
                      "pipe them: pass show deploy-key | logctl redact --values-stdin");
  }
  return {};
}

// `given` holds what the values are taken from.
Expected<RedactionTargets> TargetsOf(const Options& words, Log& log, const SecretString& given) {
  RedactionTargets targets{.secrets = words.secrets,
                           .inquiries = {},
                           .values = LinesOf(given.view()),
                           .detect = words.detect,
                           .rules = words.rules};
  if (!words.inquiry) return targets;
  InquiryToRedact inquiry{*words.inquiry, {}, {}};
  if (words.turn) inquiry.turn = Turn{*words.turn};
  if (words.conversation) {
    inquiry.conversation = TURNLOG_TRY(ParseConversation(*words.conversation));
    TURNLOG_TRY(FindConversation(log, *inquiry.conversation));
  }
  targets.inquiries.push_back(std::move(inquiry));
  return targets;
}

// Whether all that was asked for can be done at all.
bool Complete(const RedactionPlan& plan) {
  const auto is_given = [](const UnsearchedValue& value) { return value.conversation.empty(); };
  return plan.kept.empty() && plan.damage.empty() && std::ranges::none_of(plan.unsearched, is_given);
}

CommandResult Run(Context& context, const Options& words) {
  KeepMemoryPrivate();
  TURNLOG_TRY(CheckWords(words));
  const auto progress = [&](std::string_view doing) -> Progress {
    return
        [&context, doing](std::uint64_t done, std::uint64_t total) { context.messages.Progress(doing, done, total); };
  };
  SecretString given;
  if (words.values_stdin) given = TURNLOG_TRY(ReadStandardInput());
  const auto log = TURNLOG_TRY(words.dry_run ? OpenToRead(context) : OpenToChange(context, "redact"));
  const RedactionTargets targets = TURNLOG_TRY(TargetsOf(words, *log, given));
  const auto redaction = TURNLOG_TRY(Redaction::Plan(*log, targets, progress("looking")));
  context.messages.EndProgress();
  WarnOf(context.messages, redaction->plan());
  if (words.dry_run) {
    PrintPlan(context, redaction->plan());
    return Complete(redaction->plan()) ? kFine : kFailed;
  }
  TURNLOG_TRY(redaction->Apply(words.by.value_or(WhoWeAre()), progress("redacting")));
  const RedactionReceipt receipt = TURNLOG_TRY(redaction->Prove(progress("proving")));
  context.messages.EndProgress();
  TURNLOG_TRY(log->Close());
  PrintReceipt(context, redaction->plan(), receipt);
  if (redaction->plan().events() > 0) TURNLOG_TRY(WarnOfBackups(context));
  return receipt.clean() && Complete(redaction->plan()) ? kFine : kFailed;
}

}  // namespace

Action DefineRedact(CLI::App& app) {
  auto words = std::make_shared<Options>();
  AddFlag(app, "--secrets", words->secrets, "Answers in clear to questions that asked for a secret");
  AddText(app, "--inquiry", words->inquiry, "The answers of this inquiry", "ID");
  AddNumber(app, "--turn", words->turn, "With --inquiry: only in this turn");
  AddText(app, "--conversation", words->conversation, "With --inquiry: only in this conversation", "CONV");
  AddFlag(app, "--values-stdin", words->values_stdin, "The values on standard input, one a line");
  AddFlag(app, "--detect", words->detect, "What looks like a key, a token or a password");
  AddText(app, "--rules", words->rules, "With --detect: a file of rules beside the built-in ones", "FILE");
  AddText(app, "--by", words->by, "Who does it, for the record; user@host if not said", "WHO");
  AddFlag(app, "--dry-run", words->dry_run, "Only say what would be redacted");
  return [words](Context& context) { return Run(context, *words); };
}

}  // namespace turnlog
