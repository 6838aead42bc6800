#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): signal sets are POSIX
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errno_text.h"
#include "base/try.h"
#include "logctl/adapter.h"
#include "logctl/command.h"
#include "logctl/freed_memory.h"
#include "logctl/json_document.h"
#include "logctl/output_file.h"
#include "logctl/private_memory.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/migrate/import.h"

namespace turnlog {
namespace {

constexpr std::size_t kProblemsShown = 50;

struct Options {
  std::string format;
  std::vector<std::string> paths;
  bool follow = false;
  bool check = false;
  std::string detect = "report";
};

// Readable when the user wants the program to end.
class StopSignals {
 public:
  StopSignals() {
    sigset_t signals;
    (void)::sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) (void)::sigaddset(&signals, signal);
    // Before the log starts threads, which inherit it: otherwise one of them would take the signal.
    (void)::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    fd_ = ::signalfd(-1, &signals, SFD_CLOEXEC);
  }
  ~StopSignals() { (void)::close(fd_); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  int descriptor() const { return fd_; }

 private:
  int fd_ = -1;
};

constexpr std::string_view kAdapter = "exec:";

void AddProblems(JsonDocument& json, std::string_view key, const std::vector<ImportProblem>& problems) {
  json.Array(key);
  for (const ImportProblem& problem : problems) {
    json.Object();
    json.Field("code", ToString(problem.code));
    json.Field("file", problem.file);
    json.Field("element", problem.element);
    json.Field("line", problem.line);
    json.Field("byte", problem.byte);
    if (!problem.conversation.empty()) json.Field("conversation", problem.conversation);
    json.Field("reason", problem.reason);
    json.EndObject();
  }
  json.EndArray();
}

void AddBytes(JsonDocument& json, const std::vector<ImportedBytes>& sources) {
  json.Array("bytes");
  for (const ImportedBytes& bytes : sources) {
    json.Object();
    json.Field("source", bytes.source);
    json.Field("size", bytes.size);
    json.Field("imported", bytes.imported);
    json.Field("kept_raw", bytes.kept_raw);
    json.Field("unreadable", bytes.unreadable);
    json.EndObject();
  }
  json.EndArray();
}

// "sources of 7,821 bytes: 7,000 imported, 821 kept raw, 0 unreadable"; nothing if all were imported.
std::string BytesLine(const std::vector<ImportedBytes>& sources) {
  ImportedBytes sum;
  for (const ImportedBytes& bytes : sources) {
    sum.size += bytes.size;
    sum.imported += bytes.imported;
    sum.kept_raw += bytes.kept_raw;
    sum.unreadable += bytes.unreadable;
  }
  if (sum.imported == sum.size) return {};
  return fmt::format("sources of {} bytes: {} imported, {} kept raw, {} unreadable\n", Thousands(sum.size),
                     Thousands(sum.imported), Thousands(sum.kept_raw), Thousands(sum.unreadable));
}

SecretDetection DetectionOf(const Options& options) {
  if (options.detect == "none") return SecretDetection::kNone;
  return options.detect == "redact" ? SecretDetection::kRedact : SecretDetection::kReport;
}

// "3 secrets found (github-pat 2, password-assignment 1): ..."; nothing if there is none.
std::string SecretsLine(const ImportReport& report, SecretDetection detection) {
  std::uint64_t sum = 0;
  std::string rules;
  for (const auto& [rule, count] : report.secrets) {
    sum += count;
    rules += fmt::format("{}{} {}", rules.empty() ? "" : ", ", rule, Thousands(count));
  }
  if (sum == 0) return {};
  const bool redacted = detection == SecretDetection::kRedact;
  return fmt::format("{} {} ({}): {}\n", Counted(sum, "secret"), redacted ? "redacted" : "found", rules,
                     redacted ? "change them, and delete or redact the sources"
                              : "`logctl redact --detect --dry-run --report` shows where; change them, too");
}

void PrintJson(Output& out, const ImportReport& report) {
  JsonDocument json(out);
  json.Object("conversations");
  json.Field("added", report.added);
  json.Field("extended", report.extended);
  json.Field("unchanged", report.unchanged);
  json.Field("failed", report.failed);
  json.EndObject();
  json.Field("events", report.events);
  json.Field("bytes_read", report.bytes_read);
  json.Field("bytes_parsed", report.bytes_parsed);
  AddBytes(json, report.bytes);
  json.Object("secrets");
  for (const auto& [rule, count] : report.secrets) json.Field(rule, count);
  json.EndObject();
  AddProblems(json, "problems", report.problems);
  AddProblems(json, "notes", report.notes);
}

// One line for those with the same reason in the same file, and for what is only to be known and is of many files.
enum class Alike { kInFile, kAnywhere };

template <class Print>
void PrintEach(const std::vector<ImportProblem>& problems, Alike alike, Print print) {
  constexpr std::size_t kMany = 4;
  struct Line {
    const ImportProblem* first;
    std::size_t more;
    bool in_file;
  };
  std::vector<Line> lines;
  std::map<std::string_view, std::size_t> with_reason;
  for (const ImportProblem& problem : problems) ++with_reason[problem.reason];
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> known;
  for (const ImportProblem& problem : problems) {
    const bool in_file = alike == Alike::kInFile || with_reason[problem.reason] < kMany;
    const std::string_view file = in_file ? problem.file : std::string_view();
    const auto [line, added] = known.try_emplace({file, problem.reason}, lines.size());
    if (added) lines.push_back({.first = &problem, .more = 0, .in_file = in_file});
    if (!added) ++lines[line->second].more;
  }
  std::size_t left = problems.size();
  for (const auto& [first, more, in_file] : lines | std::views::take(kProblemsShown)) {
    const char* const where = in_file ? " in the file" : "";
    print(more == 0 ? ToString(*first) : fmt::format("{} ({} more like this{})", ToString(*first), more, where));
    left -= 1 + more;
  }
  if (left > 0) print(fmt::format("... and {} more; --json lists all", left));
}

void PrintText(Context& context, const ImportReport& report, SecretDetection detection) {
  PrintEach(report.notes, Alike::kAnywhere, [&](const std::string& text) { context.messages.Note("note: " + text); });
  PrintEach(report.problems, Alike::kInFile, [&](const std::string& text) { context.messages.Warn(text); });
  if (context.globals.quiet) return;
  std::string line = fmt::format("{} added", Counted(report.added, "conversation"));
  const auto more = [&](std::uint64_t count, const char* what) {
    if (count > 0) line += fmt::format(", {} {}", Thousands(count), what);
  };
  more(report.extended, "extended");
  more(report.unchanged, "unchanged");
  more(report.failed, "failed");
  context.out.Write(fmt::format("{}; {}\n", line, Counted(report.events, "new event")));
  context.out.Write(BytesLine(report.bytes));
  context.out.Write(SecretsLine(report, detection));
}

// What an adapter has printed for some sources. Each is an open file, of which a process may have few.
class AdapterOutputs {
 public:
  bool full() const { return outputs_.size() == 64; }

  void Add(AdapterOutput output, const std::string& source) {
    outputs_.push_back(std::move(output));
    paths_.push_back(outputs_.back().path());
    sources_.push_back(source);
  }

  // Problems name the source.
  Expected<ImportReport> Import(Log& log, const ImportOptions& options) {
    ImportReport report = TURNLOG_TRY(turnlog::Import(log, "jsonl", paths_, options));
    for (auto* problems : {&report.problems, &report.notes}) {
      for (ImportProblem& problem : *problems) {
        Name(problem.file);
        if (problem.line) problem.file += " (output of the adapter)";  // which has these lines
      }
    }
    for (ImportedBytes& bytes : report.bytes) Name(bytes.source);
    return report;
  }

 private:
  void Name(std::string& file) const {
    const auto found = std::ranges::find(paths_, std::filesystem::path(file));
    if (found != paths_.end()) file = sources_[static_cast<std::size_t>(found - paths_.begin())];
  }

  std::vector<AdapterOutput> outputs_;
  std::vector<std::filesystem::path> paths_;
  std::vector<std::string> sources_;  // of these paths
};

ImportProblem AdapterFailed(const std::string& source, std::string reason) {
  ImportProblem problem;
  problem.code = ImportProblemCode::kUnreadable;
  problem.file = source;
  problem.reason = std::move(reason);
  return problem;
}

// Each source through the adapter. One that the adapter fails for keeps no other out.
Expected<ImportReport> ImportThroughAdapter(Log& log, const Options& options, const ImportOptions& import_options) {
  ImportReport sum;
  std::uint64_t done = 0, tried = 0;
  ImportOptions each = import_options;
  each.progress = [&](std::uint64_t of_these, std::uint64_t) {
    import_options.progress(done + of_these, options.paths.size());
  };
  AdapterOutputs outputs;
  for (const std::string& source : options.paths) {
    ++tried;
    if (auto output = RunAdapter(options.format.substr(kAdapter.size()), source)) {
      outputs.Add(*std::move(output), source);
    } else {
      ++sum.failed;
      sum.problems.push_back(AdapterFailed(source, output.error().message));
    }
    if (!outputs.full() && tried < options.paths.size()) continue;
    sum += TURNLOG_TRY(std::exchange(outputs, {}).Import(log, each));
    done = tried;
  }
  return sum;
}

// `wrong`: what is wrong with the output of the adapter.
void AddCheck(JsonDocument& json, const std::string& source, const std::vector<std::string>& wrong,
              const std::string& summary) {
  json.Object();
  json.Field("source", source);
  json.Field("conforms", wrong.empty());
  json.Field("summary", summary);
  json.Array("problems");
  for (const std::string& line : wrong) json.Element(line);
  json.EndArray();
  json.EndObject();
}

void PrintCheck(Context& context, const std::string& source, const std::vector<std::string>& wrong,
                const std::string& summary) {
  for (const std::string& line : wrong) context.messages.Warn(fmt::format("{}: {}", source, line));
  context.out.Write(fmt::format("{}: {}: {}\n", source, wrong.empty() ? "conforms" : "does not conform", summary));
}

// `--check`: 3 if the adapter prints something else than it should.
CommandResult Check(Context& context, const Options& options) {
  if (!options.format.starts_with(kAdapter)) return WrongUsage("--check is for adapters: exec:CMD");
  std::optional<JsonDocument> json;
  if (context.globals.json) json.emplace(context.out).Array("sources");
  bool wrong = false;
  for (const std::string& source : options.paths) {
    std::string summary;
    const auto lines = CheckAdapter(options.format.substr(kAdapter.size()), source, summary);
    if (!lines) return Failed(Named(source, lines.error().message));
    json ? AddCheck(*json, source, *lines, summary) : PrintCheck(context, source, *lines, summary);
    wrong |= !lines->empty();
  }
  return wrong ? kFound : kFine;
}

// A closed standard input is taken by something that can only be written to.
Expected<void> CheckStandardInput(const Options& options) {
  if (std::ranges::find(options.paths, "-") == options.paths.end()) return {};
  const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
  if (flags != -1 && (flags & O_ACCMODE) != O_WRONLY) return {};
  return Failed("cannot read standard input: " + ErrnoText(EBADF));
}

bool Exists(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

bool IsFine(const ImportReport& report) { return report.problems.empty() && report.failed == 0; }

void Print(Context& context, const ImportReport& report, SecretDetection detection) {
  context.globals.json ? PrintJson(context.out, report) : PrintText(context, report, detection);
}

CommandResult Follow(Context& context, const Options& options, std::span<const std::filesystem::path> paths) {
  const StopSignals stop;
  const auto log = TURNLOG_TRY(OpenToWrite(context, "import"));
  bool fine = true;
  const auto on_report = [&](const ImportReport& report) {
    Print(context, report, DetectionOf(options));
    context.out.Flush();
    fine &= IsFine(report);
  };
  const Status status = FollowImports(*log, options.format, paths, stop.descriptor(), on_report, DetectionOf(options));
  if (!status) return std::unexpected(Failure(status.error()));
  TURNLOG_TRY(log->Close());
  return fine ? kFine : kFailed;
}

std::vector<std::filesystem::path> PathsOf(const Options& options) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& path : options.paths) paths.emplace_back(path == "-" ? "/dev/stdin" : path);
  return paths;
}

// The report would go into a source, or start the next import of --follow.
Expected<void> CheckReportFile(std::span<const std::filesystem::path> paths) {
  const auto output = FindOutputFile();
  if (!output || std::ranges::none_of(paths, [&](const auto& path) { return Holds(path, *output); })) return {};
  return WrongUsage(fmt::format("{}: standard output goes to a file within what is imported", output->string()),
                    "write it to a file elsewhere");
}

CommandResult Run(Context& context, const Options& options) {
  const auto paths = PathsOf(options);
  TURNLOG_TRY(CheckReportFile(paths));
  TURNLOG_TRY(CheckStandardInput(options));
  if (options.format.starts_with(kAdapter) &&
      options.format.find_first_not_of(" \t\n", kAdapter.size()) == std::string::npos) {
    return WrongUsage("exec: needs a command", "exec:CMD");
  }
  if (options.check) return Check(context, options);
  if (options.follow && options.format.starts_with(kAdapter)) {
    return WrongUsage("--follow does not work with adapters: what they print is read once",
                      "import again when the source has changed");
  }
  if (options.follow && std::ranges::find(options.paths, "-") != options.paths.end()) {
    return WrongUsage("--follow needs files or folders: standard input is read once");
  }
  TURNLOG_TRY(StoreLocation(context));
  KeepFreedMemory();
  if (DetectionOf(options) == SecretDetection::kRedact) {
    KeepMemoryPrivate();
    WipeFreedMemory();
  }
  // A mistyped path must not create a store.
  if (std::ranges::none_of(paths, Exists))
    return Failed(fmt::format("{}: no such file or folder", paths.front().string()));
  if (options.follow) return Follow(context, options, paths);
  const auto log = TURNLOG_TRY(OpenToWrite(context, "import"));
  const ImportOptions import_options{
      .progress = [&](std::uint64_t done, std::uint64_t total) { context.messages.Progress("importing", done, total); },
      .detect = DetectionOf(options)};
  const auto import = [&]() -> Expected<ImportReport> {
    if (options.format.starts_with(kAdapter)) return ImportThroughAdapter(*log, options, import_options);
    return TURNLOG_TRY(Import(*log, options.format, paths, import_options));
  };
  const auto report = import();
  context.messages.EndProgress();
  if (!report) return std::unexpected(report.error());
  TURNLOG_TRY(log->Close());
  Print(context, *report, DetectionOf(options));
  return IsFine(*report) ? kFine : kFailed;
}

}  // namespace

Action DefineImport(CLI::App& app) {
  auto options = std::make_shared<Options>();
  std::vector<std::string> names{"auto"};
  std::string formats = "Formats:\n";
  for (const FormatInfo& format : Formats()) {
    if (!format.imports) continue;
    names.emplace_back(format.name);
    formats += fmt::format("  {:<13} {}\n", format.name, format.description);
  }
  formats += fmt::format("  {:<13} {}\n", "exec:CMD",
                         "any other source, through a program that prints JSON lines (docs/formats/adapters.md)");
  AddDetails(app, formats);
  AddText(app, "FORMAT", options->format, "One of the formats below, or auto: detected by the contents")
      .Required()
      .OneOf(names, std::string(kAdapter));
  AddTexts(app, "PATH", options->paths, "Files, pipes or folders; - is standard input").Required();
  AddText(app, "--detect", options->detect,
          "Secrets on the way in, by the rules of scan: none (faster), report their number (default), or redact",
          "WHAT")
      .OneOf({"none", "report", "redact"});
  AddFlag(app, "--follow", options->follow, "Go on as the sources change; Ctrl-C ends");
  AddFlag(app, "--check", options->check, "Check what an adapter (exec:CMD) prints, without a store");
  return [options](Context& context) { return Run(context, *options); };
}

}  // namespace turnlog
