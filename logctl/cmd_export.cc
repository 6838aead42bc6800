#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/output_file.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "logctl/transcript_export.h"
#include "turnlog/migrate/export.h"
#include "turnlog/migrate/import.h"
#include "turnlog/migrate/session_tool.h"
#include "turnlog/providers/lint.h"

namespace turnlog {
namespace {

struct Options {
  std::vector<std::string> conversations;
  std::string format;
  std::optional<std::string> to;
  bool all = false, modern = false, keep_secrets = false;
  std::optional<std::string> reader;
  std::optional<std::uint64_t> budget;
  std::optional<std::string> cwd;
  ExportOptions export_options{.threads = 0};
};

FormatInfo FindFormat(std::string_view name) {
  const std::vector<FormatInfo> formats = Formats();
  return *std::ranges::find(formats, name, &FormatInfo::name);  // a known one: OneOf has checked it
}

// Written by name for Gemini CLI, because the format gemini is that of requests.
bool IsSession(std::string_view format) {
  return format == "gemini-cli" || (FindSessionTool(format) && !FindProvider(format));
}

// Whether the format has no form of the sanitized view, only that of what was imported.
bool IsOnlyRaw(const FormatInfo& format) {
  return format.exports_to_stream && !format.exports_to_folder && format.name != "jsonl" &&
         !FindProvider(format.name) && !IsSession(format.name);
}

Expected<void> CheckRequestOptions(const Options& options) {
  const ExportOptions& request = options.export_options;
  const bool session = IsSession(options.format) && !request.raw;
  const bool dialogue = session || (FindProvider(options.format).has_value() && !request.raw);
  if (!dialogue && (!request.model.empty() || !request.prompt.empty() || request.same_account || request.full)) {
    return WrongUsage("--model, --prompt, --same-account and --full are for requests and sessions",
                      options.export_options.raw ? "leave out --raw" : "name such a --format");
  }
  if (!session && options.cwd) {
    return WrongUsage("--cwd is for sessions", "name one: --format claude-code, codex, opencode or gemini-cli");
  }
  if (request.same_account && request.model.empty()) return WrongUsage("--same-account needs --model");
  return {};
}

Expected<void> CheckDocumentOptions(const Options& options) {
  if (options.budget && options.format != "handoff") return WrongUsage("--budget is for --format handoff");
  if (options.budget && *options.budget < kSmallestHandoffBudget) {
    return WrongUsage(fmt::format("--budget: at least {} tokens", kSmallestHandoffBudget));
  }
  const bool document = FindTranscriptFormat(options.format).has_value();
  if (document && (options.export_options.raw || options.modern || options.reader)) {
    return WrongUsage("--raw, --modern and --for do not go with markdown, html and handoff");
  }
  if (!document && options.keep_secrets) return WrongUsage("--keep-secrets is for --format markdown, html and handoff");
  return {};
}

// Whether what is written of several conversations, one after another, can be read again.
bool CanFollowEachOther(std::string_view format) {
  return format == "jsonl" || format == "markdown" || format == "handoff";
}

Expected<void> CheckOneFile(const Options& options, bool takes_folder) {
  const bool several = options.all || options.conversations.size() > 1;
  if (!several || options.to || CanFollowEachOther(options.format)) return {};
  return WrongUsage(fmt::format("--format {} writes one conversation to standard output", options.format),
                    takes_folder ? "name a folder for several: --to DIR" : "export them one by one");
}

Expected<void> CheckOptions(const Options& options) {
  if (options.all && !options.conversations.empty()) return WrongUsage("give conversations or --all, not both");
  if (!options.all && options.conversations.empty())
    return WrongUsage("no conversation given", "name some or give --all");
  TURNLOG_TRY(CheckDocumentOptions(options));
  if (FindTranscriptFormat(options.format)) {
    TURNLOG_TRY(CheckOneFile(options, true));
    return CheckRequestOptions(options);
  }
  if (options.modern && options.reader) return WrongUsage("give --modern or --for, not both");
  const FormatInfo format = FindFormat(options.format);
  if ((options.modern || options.reader) && !format.has_layouts) {
    return WrongUsage(fmt::format("--format {} has one layout only", options.format), "leave out --modern and --for");
  }
  if (IsOnlyRaw(format) && !options.export_options.raw) {
    return WrongUsage(
        fmt::format("--format {} writes only what was imported", options.format),
        options.format == "openai" ? "add --raw, or take openai-chat or openai-responses for a request" : "add --raw");
  }
  if (!format.exports_to_stream && !options.to) {
    return WrongUsage(fmt::format("--format {} writes several files", options.format), "name a folder: --to DIR");
  }
  if (!format.exports_to_folder && options.to) {
    return WrongUsage(fmt::format("--format {} writes to standard output", options.format),
                      "leave out --to and redirect: > FILE");
  }
  TURNLOG_TRY(CheckOneFile(options, format.exports_to_folder));
  return CheckRequestOptions(options);
}

std::string_view DescribeExport(const FormatInfo& format) {
  if (FindProvider(format.name)) return "the body of a request, to standard output";
  if (IsSession(format.name)) {
    return format.exports_to_folder ? "a session that the tool resumes; all its files in --to"
                                    : "a session that the tool resumes, to standard output";
  }
  if (IsOnlyRaw(format)) return "what was imported, with --raw only, to standard output";
  if (!format.exports_to_folder) return "to standard output";
  if (!format.exports_to_stream) return "one folder per conversation, in --to";
  return "to standard output, or all files of a session in --to";
}

// Exports conversations page by page.
class Exporter {
 public:
  Exporter(Context& context, Log& log, const Options& options) : context_(context), log_(log), options_(options) {}

  Expected<void> Export(std::span<const ConversationId> ids) {
    if (const auto format = FindTranscriptFormat(options_.format)) return ExportTranscripts(ids, *format);
    const auto report = options_.to ? ExportToFolder(log_, options_.format, ids, *options_.to, options_.export_options)
                        : IsRequest() ? RequestToOutput(ids)
                                      : ToOutput(ids);
    if (!report && context_.out.closed()) return {};
    if (!report) return std::unexpected(Failure(report.error()));
    exported_ += report->conversations;
    damaged_ = damaged_ || !report->damage.empty() || !report->failures.empty();
    for (const Damage& damage : report->damage) context_.messages.Report(damage);
    if (report->left_out > 0) {
      context_.messages.Note(fmt::format("note: {} left out, because {} would refuse them",
                                         Counted(report->left_out, "event"), options_.format));
    }
    for (const ExportChange& change : report->changes) {
      context_.messages.Note(fmt::format("{}: {} {}", change.conversation, change.what, change.count));
    }
    for (const auto& [conversation, error] : report->failures) {
      context_.messages.Warn(Named(conversation, error.message));
    }
    return {};
  }

  Expected<void> ExportAll() {
    const std::uint64_t total = TURNLOG_TRY(log_.Stats()).conversations;
    const auto on_page = [&](const std::vector<ConversationInfo>& page) -> Expected<bool> {
      std::vector<ConversationId> ids;
      for (const ConversationInfo& info : page) ids.push_back(TURNLOG_TRY(ConversationId::Parse(info.id)));
      TURNLOG_TRY(Export(ids));
      if (options_.to) context_.messages.Progress("exporting", exported_, total);
      return !context_.out.closed();
    };
    const auto status = ForEachPage(log_, on_page);
    context_.messages.EndProgress();
    return status;
  }

  std::uint64_t exported() const { return exported_; }
  ExitCode exit_code() const { return damaged_ ? kFailed : kFine; }

 private:
  Expected<void> ExportTranscripts(std::span<const ConversationId> ids, TranscriptFormat format) {
    const TranscriptOptions documents{.keep_secrets = options_.keep_secrets, .budget = options_.budget.value_or(0)};
    for (const ConversationId& id : ids) {
      const auto report = ExportTranscript(context_, log_, id, format, options_.to, documents);
      if (report) {
        ++exported_;
        damaged_ = damaged_ || !report->damage.empty();
      } else if (context_.out.closed()) {
        return {};
      } else if (options_.to && report.error().code == ErrorCode::kConflict) {
        context_.messages.Warn(Named(id.text(), report.error().message));
        damaged_ = true;
      } else {
        return std::unexpected(Failure(report.error()));
      }
    }
    return {};
  }

  Result<ExportReport> ToOutput(std::span<const ConversationId> ids) {
    const auto sink = [&](std::string_view piece) -> Status {
      context_.out.WriteJson(piece);
      if (context_.out.closed()) return std::unexpected(Error{ErrorCode::kIo, "standard output is closed"});
      return {};
    };
    return ExportToStream(log_, options_.format, ids, sink, options_.export_options);
  }

  bool IsRequest() const { return FindProvider(options_.format) && !options_.export_options.raw; }

  // One that cannot be made is not begun. Providers limit its size.
  Result<ExportReport> RequestToOutput(std::span<const ConversationId> ids) {
    std::string request;
    const auto sink = [&](std::string_view piece) -> Status { return request += piece, Status(); };
    auto report = ExportToStream(log_, options_.format, ids, sink, options_.export_options);
    if (report && report->failures.empty()) context_.out.WriteJson(request);
    return report;
  }

  Context& context_;
  Log& log_;
  const Options& options_;
  std::uint64_t exported_ = 0;
  bool damaged_ = false;
};

// --to never replaces a file that has other contents.
Expected<void> CheckTarget(Log& log, const Options& options) {
  const auto output = options.to ? std::nullopt : FindOutputFile();
  if (!output || !TURNLOG_TRY(IsImportSource(log, *output))) return {};
  return Failed(fmt::format("{}: this file was imported into the store, and is not written to", output->string()),
                "write to another file, and rename that if it is what you want");
}

CommandResult Run(Context& context, const Options& options) {
  TURNLOG_TRY(CheckOptions(options));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  TURNLOG_TRY(CheckTarget(*log, options));
  const auto ids = TURNLOG_TRY(FindConversations(*log, options.conversations));
  Exporter exporter(context, *log, options);
  TURNLOG_TRY(options.all ? exporter.ExportAll() : exporter.Export(ids));
  if (!options.to) return exporter.exit_code();
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Field("conversations", exporter.exported());
    json.Field("to", *options.to);
  } else {
    context.messages.Note(fmt::format("{} exported to {}", Counted(exporter.exported(), "conversation"), *options.to));
  }
  return exporter.exit_code();
}

}  // namespace

Action DefineExport(CLI::App& app) {
  auto options = std::make_shared<Options>();
  AddTexts(app, "CONV", options->conversations,
           "The conversations; several of them with --to, or in jsonl, markdown and handoff");
  std::vector<std::string> names;
  std::string formats = "Formats, and what they write:\n";
  for (const FormatInfo& format : Formats()) {
    if (!format.exports_to_stream && !format.exports_to_folder) continue;
    names.emplace_back(format.name);
    formats += fmt::format("  {:<17} {}\n", format.name, DescribeExport(format));
  }
  for (const auto& [name, what] : {std::pair{"markdown", "a document for people"},
                                   {"html", "the same, without scripts"},
                                   {"handoff", "what an agent needs to go on with the work"}}) {
    names.emplace_back(name);
    formats += fmt::format("  {:<17} {}, to standard output or in --to\n", name, what);
  }
  AddText(app, "--format", options->format, "One of the formats below", "FORMAT").Required().OneOf(names);
  AddDetails(app, formats);
  AddText(app, "--to", options->to, "The folder to write to", "DIR");
  AddFlag(app, "--all", options->all, "All conversations of the store");
  AddFlag(app, "--raw", options->export_options.raw,
          "The log itself instead of the sanitized view; of requests and sessions what was imported");
  AddFlag(app, "--keep-secrets", options->keep_secrets,
          "Documents: also what looks like a secret, and clear answers to questions for one");
  AddNumber(app, "--budget", options->budget,
            "handoff: leave out what is older than fits into this many tokens; estimated, within 25 %", "TOKENS");
  AddText(app, "--model", options->export_options.model, "Requests and sessions: the model that goes on", "MODEL");
  AddFlag(
      app, "--same-account", options->export_options.same_account,
      "Requests and sessions: for the account that made the responses, so that reasoning sealed by --model goes along");
  AddText(app, "--prompt", options->export_options.prompt,
          "Requests and sessions: the user's next message; default of requests: \"Continue.\" if the model had the "
          "last word",
          "TEXT");
  AddFlag(app, "--full", options->export_options.full,
          "Requests and sessions: also the turns that compactions have replaced by summaries");
  AddText(app, "--cwd", options->cwd, "Sessions: the folder to resume it in; default: the current one", "DIR");
  AddFlag(app, "--modern", options->modern, "jp: today's layout instead of the one that was imported");
  AddText(app, "--for", options->reader, "jp-main: the layout that jp's main branch loads", "jp-main")
      .OneOf({"jp-main"});
  return [options](Context& context) {
    std::error_code error;
    options->export_options.folder = std::filesystem::weakly_canonical(options->cwd.value_or("."), error).string();
    if (options->modern) options->export_options.layout = ExportLayout::kModern;
    if (options->reader) options->export_options.layout = ExportLayout::kJpMain;
    return Run(context, *options);
  };
}

}  // namespace turnlog
