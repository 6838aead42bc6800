#include "migrate/codex/injected_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// Both are needed: people write about these files and tags, too.
struct Marks {
  std::string_view begin, end;
};

// Codex' own list (codex-rs, contextual_user_message.rs), with those of earlier versions.
constexpr std::array kInjected = std::to_array<Marks>({
    {"# AGENTS.md instructions", "</INSTRUCTIONS>"},
    {"<user_instructions>", "</user_instructions>"},
    {"<environment_context>", "</environment_context>"},
    {"<agent_message_board_notification>", "</agent_message_board_notification>"},
    {"<skill>", "</skill>"},
    {"<user_shell_command>", "</user_shell_command>"},
    {"<turn_aborted>", "</turn_aborted>"},
    {"<subagent_notification>", "</subagent_notification>"},
    {"<recommended_plugins>", "</recommended_plugins>"},
    {"<extension_context>", "</extension_context>"},
    {"<goal_context>", "</goal_context>"},
    {"<codex_internal_context ", "</codex_internal_context>"},
    {"<hook_prompt ", "</hook_prompt>"},
    {"<permissions instructions>", "</permissions instructions>"},
    {"<skills_instructions>", "</skills_instructions>"},
    {"<collaboration_mode>", "</collaboration_mode>"},
    {"Warning: The maximum number of unified exec processes you can keep open is", ""},
    {"Warning: Your account was flagged for potentially high-risk cyber activity", ""},
    {"Warning: apply_patch was requested via ", "Use the apply_patch tool instead of exec_command."},
});

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

char Lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

bool AreAlike(std::string_view one, std::string_view other) { return std::ranges::equal(one, other, {}, Lower, Lower); }

bool IsBetween(const Marks& marks, std::string_view text) {
  if (text.size() < marks.begin.size() + marks.end.size()) return false;
  return AreAlike(text.substr(0, marks.begin.size()), marks.begin) &&
         AreAlike(text.substr(text.size() - marks.end.size()), marks.end);
}

// What a program adds under a name of its own: <external_NAME>...</external_NAME>.
bool IsExternal(std::string_view text) {
  constexpr std::string_view kBegin = "<external_";
  const std::size_t open = text.find('>');
  if (!text.starts_with(kBegin) || open == std::string_view::npos || !text.ends_with('>')) return false;
  const std::string_view name = text.substr(1, std::min(open, text.find(' ')) - 1);
  text.remove_suffix(1);
  return text.ends_with(name) && text.substr(0, text.size() - name.size()).ends_with("</");
}

// By the kinds of its parts: what the user typed is "user.text". Nothing: they are not known.
std::optional<bool> SaysToBeInjected(const JsonObject& item) {
  const JsonObject said = item.Object("internal_chat_message_metadata_passthrough");
  const std::vector<std::string_view> kinds = ElementsOf(said["content_item_kinds"]);
  const auto is_of_user = [](std::string_view kind) { return kind.starts_with("\"user."); };
  const auto is_known = [](std::string_view kind) { return IsJsonString(kind) && kind != R"("unknown")"; };
  if (std::ranges::any_of(kinds, is_of_user)) return false;
  return !kinds.empty() && std::ranges::all_of(kinds, is_known) ? std::optional(true) : std::nullopt;
}

}  // namespace

bool IsInjectedText(std::string_view text) {
  text = Trim(text);
  return IsExternal(text) || std::ranges::any_of(kInjected, [&](const Marks& each) { return IsBetween(each, text); });
}

bool IsInjectedItem(const JsonObject& item) {
  if (const auto injected = SaysToBeInjected(item)) return *injected;
  const std::string_view content = item["content"];
  if (IsJsonString(content)) return IsInjectedText(UnescapeJson(content));
  return std::ranges::any_of(ElementsOf(content), [](std::string_view part) {
    const std::string_view text = IsJsonString(part) ? part : JsonObject::OfValid(part)["text"];
    return IsJsonString(text) && IsInjectedText(UnescapeJson(text));
  });
}

}  // namespace turnlog
