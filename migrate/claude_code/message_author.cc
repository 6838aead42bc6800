#include "migrate/claude_code/message_author.h"

#include <algorithm>
#include <array>
#include <string>

#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// How messages begin that Claude Code itself has written, or another agent.
constexpr std::array kHarnessLeads = std::to_array<std::string_view>({
    "A session-scoped Stop hook is now active with condition:",
    "Another Claude session sent a message:",
    "Caveat: The messages below were generated",
    kClaudeInterrupted,
    "[SYSTEM NOTIFICATION - NOT USER INPUT]",
    "<agent-message",
    "<agent-notification>",
    "<bash-input>",
    "<bash-notification>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<command-args>",
    "<command-message>",
    "<command-name>",
    "<cross-session-message",
    "<goal>",
    "<local-command-",
    "<session-start-hook>",
    "<system-reminder>",
    "<task-notification>",
    "<teammate-message",
    "<tick>",
    "<user-prompt-submit-hook>",
});

constexpr std::array<std::string_view, 5> kHarnessMarks{"isMeta", "isSynthetic", "isVirtual",
                                                        "isVisibleInTranscriptOnly", "turnCompanion"};

// Kinds of origins that are no person. One that is not known here may be a person's.
constexpr std::array<std::string_view, 6> kMachineOrigins{"auto-continuation", "coordinator", "observer",
                                                          "observer-activity", "peer",        "task-notification"};

// A command whose prompt goes to the model names it after its title; one that Claude Code runs itself begins with the
// name.
bool IsPromptCommand(const JsonObject& message, std::string_view text) {
  return text.starts_with("<command-message>") && text.contains("<command-name>/") &&
         message["sourceToolUseID"].empty();
}

// What an editor adds to a prompt, without one.
bool IsEditorContext(std::string_view text) {
  const auto is = [text = TrimJsonSpace(text)](std::string_view open, std::string_view close) {
    return text.starts_with(open) && text.ends_with(close);
  };
  return is("<ide_opened_file>", "</ide_opened_file>") || is("<ide_selection>", "</ide_selection>");
}

}  // namespace

bool IsFromClaudeHarness(const JsonObject& message, std::string_view text) {
  const std::string origin = message.Object("origin").String("kind").value_or("");
  const bool by_system = origin != "human" && message.String("promptSource") == "system";
  if (by_system || std::ranges::find(kMachineOrigins, origin) != kMachineOrigins.end()) return true;
  if (std::ranges::any_of(kHarnessMarks, [&](std::string_view mark) { return message.IsTrue(mark); })) return true;
  if (IsPromptCommand(message, text)) return false;
  if (IsEditorContext(text)) return true;
  return std::ranges::any_of(kHarnessLeads, [&](std::string_view lead) { return text.starts_with(lead); });
}

}  // namespace turnlog
