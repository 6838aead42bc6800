#include <fmt/format.h>

#include <memory>

#include "base/try.h"
#include "logctl/command.h"
#include "logctl/json_document.h"
#include "logctl/store_access.h"
#include "logctl/text.h"
#include "turnlog/export.h"

namespace turnlog {
namespace {

struct Words {
  std::vector<std::string> conversations;
  std::string format;
  std::optional<std::string> to;
  bool all = false;
  ExportOptions options;
};

Expected<void> CheckWords(const Words& words) {
  if (words.all != words.conversations.empty()) return WrongUsage("which conversations?", "name some, or say --all");
  if (words.format == "jp" && !words.to) return WrongUsage("jp is a format of several files", "say where to: --to DIR");
  if (words.format == "jsonl" && words.to) {
    return WrongUsage("jsonl goes to standard output", "leave out --to, and write `> FILE` instead");
  }
  return {};
}

Expected<void> ExportSome(Context& context, Log& log, const Words& words, std::span<const ConversationId> ids) {
  if (words.format == "jp") {
    TURNLOG_TRY(ExportJp(log, ids, *words.to, words.options));
    return {};
  }
  const auto sink = [&](std::string_view piece) -> Status {
    context.out.WriteJson(piece);
    if (context.out.closed()) return std::unexpected(Error{ErrorCode::kIo, "the reader has gone"});
    return {};
  };
  const auto status = ExportJsonl(log, ids, sink, words.options);
  if (!status && !context.out.closed()) return std::unexpected(Failure(status.error()));
  return {};
}

Expected<std::uint64_t> ExportAll(Context& context, Log& log, const Words& words) {
  const std::uint64_t total = TURNLOG_TRY(log.Stats()).conversations;
  std::uint64_t done = 0;
  const auto on_page = [&](const std::vector<ConversationInfo>& page) -> Expected<bool> {
    for (const ConversationInfo& info : page) {
      const auto id = TURNLOG_TRY(ConversationId::Parse(info.id));
      TURNLOG_TRY(ExportSome(context, log, words, {&id, 1}));
      if (words.format == "jp") context.messages.Progress("exporting", ++done, total);
      if (context.out.closed()) return false;
    }
    return true;
  };
  const auto status = ForEachPage(log, on_page);
  context.messages.EndProgress();
  if (!status) return std::unexpected(status.error());
  return done;
}

Finished Run(Context& context, const Words& words) {
  TURNLOG_TRY(CheckWords(words));
  const auto log = TURNLOG_TRY(OpenToRead(context));
  const auto ids = TURNLOG_TRY(FindConversations(*log, words.conversations));
  if (!words.all) TURNLOG_TRY(ExportSome(context, *log, words, ids));
  const std::uint64_t count = words.all ? TURNLOG_TRY(ExportAll(context, *log, words)) : ids.size();
  if (!words.to) return kFine;
  if (context.globals.json) {
    JsonDocument json(context.out);
    json.Field("conversations", count);
    json.Field("to", *words.to);
  } else {
    context.messages.Note(fmt::format("{} exported to {}", Counted(count, "conversation"), *words.to));
  }
  return kFine;
}

}  // namespace

Action DefineExport(CLI::App& app) {
  auto words = std::make_shared<Words>();
  AddTexts(app, "CONV", words->conversations, "The conversations");
  AddText(app, "--format", words->format, "jsonl: to standard output; jp: a folder per conversation in --to",
          "jp|jsonl")
      .Required()
      .OneOf({"jp", "jsonl"});
  AddText(app, "--to", words->to, "The folder to write to", "DIR");
  AddFlag(app, "--all", words->all, "All conversations of the store");
  AddFlag(app, "--raw", words->options.raw, "The log itself, without its repairs");
  return [words](Context& context) { return Run(context, *words); };
}

}  // namespace turnlog
