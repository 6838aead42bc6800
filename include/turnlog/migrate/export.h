// Exporting histories: the sanitized view, or the log itself. Imported events that were neither changed nor repaired
// are written byte for byte as they were imported. The formats anthropic, openai-chat, openai-responses and gemini are
// bodies of requests, made from conversations of any origin: docs/formats/requests.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/damage.h"
#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

// The layout of the output, for formats whose tool has changed it.
enum class ExportLayout : std::uint8_t {
  kImported,  // that in which the conversation was imported; today's if it came from elsewhere
  kModern,    // what the tool writes today
  kJpMain,    // jp: what its main branch loads
};

struct ExportOptions {
  bool raw = false;  // the log itself, without its repairs; of requests and sessions: what was imported
  // Of sessions only: the folder in which the tool is to resume it; empty: /
  std::string folder{};
  // Of requests, and of sessions that are written from the sanitized view:
  std::string model{};        // that the request is for; empty: none is named
  bool same_account = false;  // it goes to the account of the recorded responses: what `model` has sealed goes along
  std::string prompt{};       // the user's next request; empty: "Continue." if the model had the last word
  bool full = false;          // also the turns that compactions have replaced by their summaries
  ExportLayout layout = ExportLayout::kImported;
  // ExportToStream: so many read at once, at most; 0: one for each processor, up to eight. Each keeps 4 MiB of output.
  unsigned threads = 1;
};

// A conversation that was not exported.
struct ExportFailure {
  std::string conversation;
  Error error;
};

// What was changed or left out so that a provider accepts the request.
struct ExportChange {
  std::string conversation;
  std::string what;  // e.g. "call-closed"; docs/formats/requests.md lists them
  std::uint64_t count = 0;
};

struct ExportReport {
  std::uint64_t conversations = 0;  // exported, possibly without what is in `damage`
  std::vector<Damage> damage;       // left out; the intact events around it were exported
  std::vector<ExportFailure> failures;
  // Events that the tool would refuse, and with them the whole conversation. Not in the imported layout, which has all.
  std::uint64_t left_out = 0;
  std::vector<ExportChange> changes;  // of requests and sessions
};

// Takes the next piece of the output; an error ends the export. Called by one thread at a time, which with
// ExportOptions::threads may be another one than the caller's.
using ExportSink = std::function<Status(std::string_view piece)>;

// Both export intact events and report damage. They fail if no export is possible: the format is unknown
// (kInvalidArgument) or not for this kind of target, the target cannot be written, or the sink returns an error.
// Memory: one event and a buffer.

// Exports all conversations to one stream, e.g. as JSON lines. The events of a sanitized view are renumbered, as an
// import will number them.
Result<ExportReport> ExportToStream(Log& log, std::string_view format, std::span<const ConversationId> conversations,
                                    const ExportSink& sink, const ExportOptions& options = {});

// Exports each conversation to a folder in `to`. Existing folders that are not empty are not overwritten, and an error
// leaves no partial folder.
Result<ExportReport> ExportToFolder(Log& log, std::string_view format, std::span<const ConversationId> conversations,
                                    const std::filesystem::path& to, const ExportOptions& options = {});

// Whether what is at this path, or a folder around it, was imported into the log or refused: an export should not write
// there.
Result<bool> IsImportSource(Log& log, const std::filesystem::path& path);

}  // namespace turnlog
