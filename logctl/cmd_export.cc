#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/migrate/export.h"
#include "turnlog/migrate/import.h"

namespace turnlog {
namespace {

struct Options {
  std::vector<std::string> conversations;
  std::string format;
  std::optional<std::string> to;
  bool all = false;
  ExportOptions options;
};

FormatInfo FindFormat(std::string_view name) {
  const std::vector<FormatInfo> formats = Formats();
  return *std::ranges::find(formats, name, &FormatInfo::name);  // CLI11 has checked that it is there
}

Expected<void> CheckWords(const Options& words) {
  if (words.all != words.conversations.empty()) return WrongUsage("which conversations?", "name some, or say --all");
  const FormatInfo format = FindFormat(words.format);
  if (!format.exports_to_stream && !words.to) {
    return WrongUsage(words.format + " is a format of several files", "say where to: --to DIR");
  }
  if (!format.exports_to_folder && words.to) {
    return WrongUsage(words.format + " goes to standard output", "leave out --to, and write `> FILE` instead");
  }
  return {};
}

// Writes conversations page by page, and counts.
class Exporter {
 public:
  Exporter(Context& context, Log& log, const Options& words) : context_(context), log_(log), words_(words) {}

  Expected<void> Export(std::span<const ConversationId> ids) {
    const auto report =
        words_.to ? ExportToFolder(log_, words_.format, ids, *words_.to, words_.options) : ToOutput(ids);
    if (!report && context_.out.closed()) return {};
    if (!report) return std::unexpected(Failure(report.error()));
    exported_ += report->conversations;
    damaged_ = damaged_ || !report->damage.empty() || !report->failures.empty();
    for (const Damage& damage : report->damage) context_.messages.Report(damage);
    for (const auto& [conversation, error] : report->failures) {
      context_.messages.Warn(fmt::format("{}: {}", conversation, error.message));
    }
    return {};
  }

  Expected<void> ExportAll() {
    const std::uint64_t total = TURNLOG_TRY(log_.Stats()).conversations;
    const auto on_page = [&](const std::vector<ConversationInfo>& page) -> Expected<bool> {
      std::vector<ConversationId> ids;
      for (const ConversationInfo& info : page) ids.push_back(TURNLOG_TRY(ConversationId::Parse(info.id)));
      TURNLOG_TRY(Export(ids));
      if (words_.to) context_.messages.Progress("exporting", exported_, total);
      return !context_.out.closed();
    };
    const auto status = ForEachPage(log_, on_page);
    context_.messages.EndProgress();
    return status;
  }

  std::uint64_t exported() const { return exported_; }
  ExitCode exit_code() const { return damaged_ ? kFailed : kFine; }

 private:
  Result<ExportReport> ToOutput(std::span<const ConversationId> ids) {
    const auto sink = [&](std::string_view piece) -> Status {
      context_.out.WriteJson(piece);
      if (context_.out.closed()) return std::unexpected(Error{ErrorCode::kIo, "the reader has gone"});
      return {};
    };
    return ExportToStream(log_, words_.format, ids, sink, words_.options);
  }

  Context& context_;
  Log& log_;
  const Options& words_;
  std::uint64_t exported_ = 0;
  bool damaged_ = false;
};

CommandResult Run(Context& context, const Options& words) {
  TURNLOG_TRY(CheckWords(words));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  const auto ids = TURNLOG_TRY(FindConversations(*log, words.conversations));
  Exporter exporter(context, *log, words);
  TURNLOG_TRY(words.all ? exporter.ExportAll() : exporter.Export(ids));
  if (!words.to) return exporter.exit_code();
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Field("conversations", exporter.exported());
    json.Field("to", *words.to);
  } else {
    context.messages.Note(fmt::format("{} exported to {}", Counted(exporter.exported(), "conversation"), *words.to));
  }
  return exporter.exit_code();
}

}  // namespace

Action DefineExport(CLI::App& app) {
  auto words = std::make_shared<Options>();
  AddTexts(app, "CONV", words->conversations, "The conversations");
  std::vector<std::string> names;
  std::string formats;
  for (const FormatInfo& format : Formats()) {
    if (!format.exports_to_stream && !format.exports_to_folder) continue;
    names.emplace_back(format.name);
    formats += fmt::format("{}{}: {}", formats.empty() ? "" : "; ", format.name,
                           format.exports_to_stream ? "to standard output" : "a folder per conversation in --to");
  }
  AddText(app, "--format", words->format, formats, fmt::format("{}", fmt::join(names, "|"))).Required().OneOf(names);
  AddText(app, "--to", words->to, "The folder to write to", "DIR");
  AddFlag(app, "--all", words->all, "All conversations of the store");
  AddFlag(app, "--raw", words->options.raw, "The log itself, without its repairs");
  return [words](Context& context) { return Run(context, *words); };
}

}  // namespace turnlog
