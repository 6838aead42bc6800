#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "base/try.h"
#include "logctl/accepted_findings.h"
#include "logctl/command.h"
#include "logctl/freed_memory.h"
#include "logctl/given_values.h"
#include "logctl/json_document.h"
#include "logctl/private_memory.h"
#include "logctl/text.h"
#include "turnlog/redaction/secret_scan.h"

namespace turnlog {
namespace {

struct Options {
  std::vector<std::string> paths;
  std::string rules;
  std::optional<std::uint64_t> jobs;
  bool check = false;
  bool known = false;
  std::vector<std::string> values_files;
  bool explain = false;
  std::optional<std::string> baseline, write_baseline;
};

std::map<std::string, std::uint64_t> CountRules(const SecretScanReport& report) {
  std::map<std::string, std::uint64_t> rules;
  for (const SecretLocation& secret : report.secrets) ++rules[secret.rule];
  return rules;
}

// `names`: of the values.
void PrintJson(Output& out, const SecretScanReport& report, std::span<const std::string> names, bool explain) {
  JsonDocument json(out);
  json.Field("files", report.files);
  json.Field("bytes", report.bytes);
  json.Array("secrets");
  for (const SecretLocation& secret : report.secrets) {
    json.Object();
    json.Field("file", secret.file);
    json.Field("line", secret.line);
    json.Field("offset", secret.offset);
    json.Field("length", secret.length);
    json.Field("rule", secret.rule);
    if (explain) json.Field("why", secret.why);
    json.Field("pointer", secret.pointer);
    json.EndObject();
  }
  json.EndArray();
  json.Object("rules");
  for (const auto& [rule, count] : CountRules(report)) json.Field(rule, count);
  json.EndObject();
  json.Array("problems");
  for (const SecretScanProblem& problem : report.problems) {
    json.Object();
    json.Field("file", problem.file);
    json.Field("reason", problem.reason);
    json.EndObject();
  }
  json.EndArray();
  json.Array("unsearched");
  for (const UnscannedValue& value : report.unsearched) {
    json.Object();
    json.Field("value", names[value.index]);
    json.Field("reason", value.reason);
    json.EndObject();
  }
  json.EndArray();
}

void PrintText(Context& context, const SecretScanReport& report, bool explain) {
  std::set<std::string_view> files;
  for (const SecretLocation& secret : report.secrets) {
    files.insert(secret.file);
    const std::string pointer = secret.pointer.value_or("");
    context.out.Write(fmt::format("{}:{}: {}{}{}\n", Printable(secret.file), secret.line,
                                  context.out.Paint(Style::kRed, secret.rule), pointer.empty() ? "" : " at ",
                                  Printable(pointer)));
    if (explain) context.out.Write(fmt::format("    {}\n", Printable(secret.why)));
  }
  if (context.globals.quiet) return;
  const std::string read = fmt::format("{}, {}", Counted(report.files, "file"), HumanSize(report.bytes));
  context.out.Write(report.secrets.empty()
                        ? fmt::format("{} read: nothing found\n", read)
                        : fmt::format("{} read: {} in {}\n", read, Counted(report.secrets.size(), "secret"),
                                      Counted(files.size(), "file")));
}

// The values to search for, if any are asked for.
Expected<void> ReadValues(const Options& options, GivenValues& given) {
  if (!options.rules.empty() && (options.known || !options.values_files.empty())) {
    return WrongUsage("--rules does not go with --known or --values-file, which search for values");
  }
  for (const std::string& file : options.values_files) TURNLOG_TRY(given.AddLines(file));
  if (options.known) {
    const char* const home = std::getenv("HOME");
    if (home == nullptr) return Failed("there is no home folder: HOME is not set");
    TURNLOG_TRY(ForEachKnownCredential(home, [&](std::string_view value) { given.Add(value); }));
  }
  if ((options.known || !options.values_files.empty()) && given.values().empty()) {
    return Failed("there is no value to search for");
  }
  return {};
}

CommandResult Run(Context& context, const Options& options) {
  KeepMemoryPrivate();
  KeepFreedMemory();
  GivenValues given;
  TURNLOG_TRY(ReadValues(options, given));
  const std::vector<std::filesystem::path> paths(options.paths.begin(), options.paths.end());
  const SecretScanOptions scan_options{
      .values = given.values(),
      .rules = options.rules,
      .jobs = TURNLOG_TRY(JobsOf(options.jobs)),
      .progress = [&](std::uint64_t done, std::uint64_t total) { context.messages.Progress("scanning", done, total); }};
  auto report = ScanForSecrets(paths, scan_options);
  context.messages.EndProgress();
  if (!report) return std::unexpected(Failure(report.error()));
  if (options.write_baseline) TURNLOG_TRY(WriteAcceptedSecrets(*options.write_baseline, *report));
  if (options.baseline) TURNLOG_TRY(RemoveAcceptedSecrets(*options.baseline, *report));
  for (const SecretScanProblem& problem : report->problems) context.messages.Warn(Named(problem.file, problem.reason));
  for (const UnscannedValue& value : report->unsearched)
    context.messages.Warn(fmt::format("{} was not searched for: {}", given.names()[value.index], value.reason));
  context.globals.json ? PrintJson(context.out, *report, given.names(), options.explain)
                       : PrintText(context, *report, options.explain);
  if (!report->problems.empty() || !report->unsearched.empty()) return kFailed;
  return options.check && !report->secrets.empty() ? kFound : kFine;
}

}  // namespace

Action DefineScan(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddTexts(app, "PATH", options->paths, "Files and folders; symbolic links are not followed").Required();
  AddText(app, "--rules", options->rules, "A file of additional rules", "FILE");
  AddFlag(app, "--known", options->known,
          "Search for the credentials in this home's .env, .netrc, cloud, registry, git, ssh and agent files, not by "
          "rules");
  AddTexts(app, "--values-file", options->values_files,
           "Search for the values in this file, one per line, not by rules; repeatable", "FILE")
      .OneValueEach();
  AddNumber(app, "--jobs", options->jobs, "Threads; default: one per processor");
  AddText(app, "--baseline", options->baseline, "A file of findings that are no secrets, which are left out", "FILE");
  AddText(app, "--write-baseline", options->write_baseline, "Write that file, with everything that is found", "FILE");
  AddFlag(app, "--explain", options->explain, "Say why each finding is one, without quoting it");
  AddFlag(app, "--check", options->check, "Exit with 3 if anything is found");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
