#include "migrate/claude_code/denial.h"

#include <array>
#include <string>

#include "migrate/claude_code/message_author.h"
#include "migrate/records/approval.h"

namespace turnlog {
namespace {

struct Shape {
  std::string_view begin;
  std::string_view contains;  // behind a command, which may have many lines
  std::string_view by;        // the kind of the responder
};

constexpr std::string_view kAutoModeLead =
    "Permission for this action was denied by the Claude Code auto mode classifier.";

constexpr std::array kShapes{
    Shape{"The user doesn't want to proceed with this tool use.", "", "user"},
    Shape{"The user doesn't want to take this action right now. STOP", "", "user"},
    Shape{"Permission to use ", " has been denied", "policy"},
    Shape{"Permission for this tool use was denied.", "", "policy"},
    Shape{kAutoModeLead, "", "policy"},
    Shape{"Auto mode could not evaluate this action and is blocking it for safety", "", "policy"},
    Shape{"Hook PreToolUse:", " denied this tool", "policy"},
    Shape{"Claude requested permissions to ", "haven't granted it yet", "policy"},
};

constexpr std::array<std::string_view, 2> kReasonLeads{"To tell you how to proceed, the user said:",
                                                       "The user provided the following reason for the rejection:"};

std::optional<std::string> ReasonIn(std::string_view text) {
  for (const std::string_view lead : kReasonLeads) {
    const std::size_t found = text.find(lead);
    if (found == std::string_view::npos) continue;
    const std::string_view reason = text.substr(found + lead.size());
    const std::size_t begin = reason.find_first_not_of(" \r\n");
    if (begin != std::string_view::npos) return std::string(reason.substr(begin));
  }
  return std::nullopt;
}

// What the classifier of the mode "auto" says against a call, without the advice to the model that follows.
std::optional<std::string> AutoModeReason(std::string_view text) {
  constexpr std::string_view kLead = " Reason: ", kAdvice = " If you have other tasks that don't depend on this action";
  if (!text.starts_with(kAutoModeLead) || !text.substr(kAutoModeLead.size()).starts_with(kLead)) return std::nullopt;
  const std::string_view reason = text.substr(kAutoModeLead.size() + kLead.size());
  return std::string(reason.substr(0, reason.find(kAdvice)));
}

Denial DeniedBy(std::string_view who, std::string_view text) {
  return who == "user" ? DeniedByUser(ReasonIn(text)) : DeniedByPolicy(AutoModeReason(text));
}

std::optional<Denial> ReadClaudeDenial(std::string_view kind, std::string_view text) {
  for (const Shape& shape : kShapes) {
    if (!text.starts_with(shape.begin) || !text.contains(shape.contains)) continue;
    Denial denial = DeniedBy(shape.by, text);
    if (shape.begin.starts_with("Hook")) denial.responder->via = "hook";
    return denial;
  }
  if (kind == "permission-rule" || kind.starts_with("automode-")) return DeniedBy("policy", text);
  if (kind == "user-rejected") return DeniedBy("user", text);
  return std::nullopt;
}

}  // namespace

ClaudeRefusal ReadClaudeRefusal(const JsonObject& record, std::string_view text) {
  const std::string kind = record.String("toolDenialKind").value_or("");
  const bool stopped = kind == "interrupted" || kind == "cancelled" || text.starts_with(kClaudeInterrupted);
  if (stopped || record.IsTrue("interruptedByShutdown")) return {.denial = {}, .stopped = true};
  return {.denial = ReadClaudeDenial(kind, text)};
}

bool AsksForClarification(const Denial& denial) {
  return denial.reason && denial.reason->starts_with("The user wants to clarify these questions.");
}

}  // namespace turnlog
