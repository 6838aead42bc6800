#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): signal sets are POSIX
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
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
#include "logctl/import_report.h"
#include "logctl/json_document.h"
#include "logctl/output_file.h"
#include "logctl/private_memory.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/migrate/import.h"

namespace turnlog {
namespace {

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

SecretDetection DetectionOf(const Options& options) {
  if (options.detect == "none") return SecretDetection::kNone;
  return options.detect == "redact" ? SecretDetection::kRedact : SecretDetection::kReport;
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
      sum.problems.push_back(
          {.code = ImportProblemCode::kUnreadable, .file = source, .reason = output.error().message});
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

CommandResult Follow(Context& context, const Options& options, std::span<const std::filesystem::path> paths) {
  const StopSignals stop;
  const auto log = TURNLOG_TRY(OpenToWrite(context, "import"));
  bool fine = true;
  const auto on_report = [&](const ImportReport& report) {
    PrintImportReport(context, report, DetectionOf(options));
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
  PrintImportReport(context, *report, DetectionOf(options));
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
    formats += fmt::format("  {:<14} {}\n", format.name, format.description);
  }
  formats += fmt::format("  {:<14} {}\n", "exec:CMD",
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
