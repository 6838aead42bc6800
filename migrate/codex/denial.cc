#include "migrate/codex/denial.h"

#include <algorithm>
#include <array>
#include <string>

#include "migrate/records/approval.h"

namespace turnlog {
namespace {

constexpr std::array<std::string_view, 4> kRejectedByUser{"exec command rejected by user", "patch rejected by user",
                                                          "rejected by user", "user rejected MCP tool call"};

// What decides about approvals in place of the user, if the settings say so.
constexpr std::string_view kReviewed = "This action was rejected due to unacceptable risk.";
constexpr std::string_view kNotReviewed =
    "The automatic permission approval review did not finish before its deadline.";

constexpr std::string_view kNeverAsks = "approval required by policy, but AskForApproval";
constexpr std::string_view kBlocked = "` rejected: blocked by policy";
constexpr std::string_view kPatch = "patch rejected: ", kBySettings = "; rejected by user approval settings";

// As Rust writes texts for debugging.
std::string UnescapeRust(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 1 < text.size();
    const char letter = escaped ? text[++i] : text[i];
    out.push_back(escaped && letter == 'n' ? '\n' : escaped && letter == 't' ? '\t' : letter);
  }
  return out;
}

// Why a command was not begun, from: exec_command failed for `...`: CreateProcess { message: "Rejected(\"...\")" }
std::optional<std::string> WhyNotBegun(std::string_view output) {
  constexpr std::string_view kLead = "exec_command failed", kEnd = "\" }";
  constexpr std::string_view kMessage = R"(: CreateProcess { message: ")", kRejected = "Rejected(\"", kClosed = "\")";
  if (!output.starts_with(kLead) || !output.ends_with(kEnd)) return std::nullopt;  // nearly all other outputs
  const std::size_t found = output.rfind(kMessage);
  if (found == std::string_view::npos) return std::nullopt;
  output.remove_prefix(found + kMessage.size());
  output.remove_suffix(std::min(kEnd.size(), output.size()));
  const std::string message = UnescapeRust(output);
  if (!message.starts_with(kRejected) || !message.ends_with(kClosed)) return std::nullopt;
  if (message.size() < kRejected.size() + kClosed.size()) return std::nullopt;
  return UnescapeRust(
      std::string_view(message).substr(kRejected.size(), message.size() - kRejected.size() - kClosed.size()));
}

std::optional<std::string> ReasonOfReview(std::string_view review) {
  constexpr std::string_view kReason = "\nReason: ";
  const std::size_t found = review.find(kReason);
  if (found == std::string_view::npos) return std::nullopt;
  review.remove_prefix(found + kReason.size());
  return std::string(review.substr(0, review.find('\n')));
}

std::optional<Denial> ReadCodexRefusal(std::string_view text) {
  constexpr const char* kReview = "auto_review";
  if (std::ranges::find(kRejectedByUser, text) != kRejectedByUser.end()) return DeniedByUser(std::nullopt);
  if (text.starts_with(kReviewed)) return DeniedByPolicy(ReasonOfReview(text), kReview);
  if (text.starts_with(kNotReviewed)) return DeniedByPolicy(std::nullopt, kReview);
  const bool blocked = text.starts_with('`') && text.ends_with(kBlocked);
  const bool forbidden = text.starts_with(kPatch) && text.ends_with(kBySettings);
  if (blocked || forbidden || text.starts_with(kNeverAsks)) return DeniedByPolicy();
  return std::nullopt;
}

}  // namespace

std::optional<Denial> ReadCodexDenial(std::string_view output) {
  if (const auto why = WhyNotBegun(output)) return ReadCodexRefusal(*why);
  return ReadCodexRefusal(output);
}

}  // namespace turnlog
