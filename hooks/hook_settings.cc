#include "turnlog/hooks/hook_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/try.h"
#include "hooks/json_edit.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_scan.h"
#include "schema/json/json_writer.h"

namespace turnlog {
namespace {

constexpr std::string_view kHooks = "hooks";
// For events at which no question is asked, in seconds.
constexpr std::uint64_t kShortTimeout = 10;
// The tool waits so much longer than the hook, so that the hook itself reports that there is no answer.
constexpr std::uint64_t kMargin = 30;

struct Subscription {
  std::string_view event;
  std::string_view matcher = {};  // of tools; empty: all
  bool asks = false;
};

constexpr Subscription kClaudeCode[] = {
    {"SessionStart"}, {"UserPromptSubmit"},   {.event = "PermissionRequest", .asks = true},
    {"PostToolUse"},  {"PostToolUseFailure"}, {"Notification"},
    {"Stop"},         {"StopFailure"},        {"SessionEnd"}};
constexpr Subscription kCodex[] = {{"SessionStart"},
                                   {"UserPromptSubmit"},
                                   {.event = "PreToolUse", .matcher = "^request_user_input$", .asks = true},
                                   {.event = "PermissionRequest", .asks = true},
                                   {"PostToolUse"},
                                   {"Stop"}};

std::span<const Subscription> SubscriptionsOf(AgentTool tool) {
  return tool == AgentTool::kClaudeCode ? std::span<const Subscription>(kClaudeCode) : kCodex;
}

std::unexpected<Error> Refuse(std::string message) {
  return std::unexpected(Error{ErrorCode::kInvalidArgument, std::move(message)});
}

std::string Quoted(std::string_view word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// '/usr/bin/logctl' hook claude-code --store '/home/ann/my.log'
std::string CommandText(AgentTool tool, const HookCommand& command) {
  std::string text = fmt::format("{} hook {}", Quoted(command.program), ToString(tool));
  return command.arguments.empty() ? text : text + " " + command.arguments;
}

// Whether a handler runs `logctl hook TOOL`, wherever that logctl is.
bool IsOurs(AgentTool tool, std::string_view handler) {
  const std::string command = FindJsonString(handler, "command").value_or("");
  const std::size_t at = command.find(fmt::format(" hook {}", ToString(tool)));
  std::string_view program = std::string_view(command).substr(0, at == std::string::npos ? 0 : at);
  while (program.ends_with('\'') || program.ends_with('"')) program.remove_suffix(1);
  program.remove_prefix(program.find_last_of("/'\"") + 1);  // 0 if there is none
  return program == "logctl";
}

std::string GroupText(AgentTool tool, const Subscription& subscription, const HookCommand& command) {
  const auto waits = static_cast<std::uint64_t>(command.timeout.count()) + kMargin;
  std::string text;
  JsonWriter json(text);
  json.StartObject();
  if (!subscription.matcher.empty()) json.Field("matcher", subscription.matcher);
  json.Key(kHooks);
  json.StartArray();
  json.StartObject();
  json.Field("type", "command");
  json.Field("command", CommandText(tool, command));
  json.Key("timeout"), json.Unsigned(subscription.asks ? waits : kShortTimeout);
  json.EndObject();
  json.EndArray();
  json.EndObject();
  return text;
}

// The outermost object.
std::string_view Root(std::string_view text) {
  const std::size_t begin = SkipJsonSpace(text, 0);
  if (begin == text.size()) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

std::optional<std::string_view> FieldOf(std::string_view object, std::string_view name) {
  const auto field = FindJsonField(object, name);
  return field ? std::optional(field->value) : std::nullopt;
}

Status CheckSettings(std::string_view text) {
  if (const auto fault = FindJsonFault(text)) return Refuse(fmt::format("byte {}: {}", fault->byte, fault->what));
  const auto root = Root(text);
  if (!root.starts_with('{')) return Refuse("not a JSON object");
  const auto hooks = FieldOf(root, kHooks);
  if (!hooks) return {};
  if (!hooks->starts_with('{')) return Refuse("`hooks` is not an object");
  for (const JsonItem& event : ItemsOf(text, *hooks)) {
    if (!event.value.starts_with('[')) return Refuse(fmt::format("the event {} is not an array", event.key));
  }
  return {};
}

// A container, and the index of the item in it that holds an entry of ours and nothing else.
struct Found {
  std::string_view container;
  std::size_t index = 0;
};

// Finds one entry, and how much around it is there for it alone.
class EntryFinder {
 public:
  EntryFinder(AgentTool tool, std::string_view text) : tool_(tool), text_(text) {}

  std::optional<Found> Find() {
    const auto hooks = FieldOf(Root(text_), kHooks);
    if (!hooks) return std::nullopt;
    const auto events = ItemsOf(text_, *hooks);
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (const auto found = FindIn(events[i].value)) return Widen(Widen(*found, {*hooks, i}), HooksInRoot());
    }
    return std::nullopt;
  }

 private:
  // If the container would be empty, the item around it goes.
  Found Widen(Found inner, Found outer) const { return ItemsOf(text_, inner.container).size() == 1 ? outer : inner; }
  Found HooksInRoot() const {
    const auto fields = ItemsOf(text_, Root(text_));
    const auto at = std::ranges::find(fields, JsonString(kHooks).text(), &JsonItem::key);
    return {Root(text_), static_cast<std::size_t>(at - fields.begin())};
  }

  std::optional<Found> FindIn(std::string_view groups) const {
    const auto all = ItemsOf(text_, groups);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto handlers = FieldOf(all[i].value, kHooks);
      if (!handlers) continue;
      const auto items = ItemsOf(text_, *handlers);
      const auto ours = std::ranges::find_if(items, [&](const JsonItem& item) { return IsOurs(tool_, item.value); });
      if (ours == items.end()) continue;
      return Widen({*handlers, static_cast<std::size_t>(ours - items.begin())}, {groups, i});
    }
    return std::nullopt;
  }

  AgentTool tool_;
  std::string_view text_;
};

// Makes the field if it is missing.
std::string WithField(const std::string& text, std::string_view object, std::string_view name, std::string_view value) {
  return FieldOf(object, name) ? text : WithItem(text, object, name, value);
}

}  // namespace

Result<std::string> WithoutHooks(AgentTool tool, std::string_view settings) {
  if (Root(settings).empty()) return std::string(settings);
  TURNLOG_TRY(CheckSettings(settings));
  std::string text(settings);
  while (const auto found = EntryFinder(tool, text).Find()) text = WithoutItem(text, found->container, found->index);
  return text;
}

Result<std::string> WithHooks(AgentTool tool, std::string_view settings, const HookCommand& command) {
  std::string text = TURNLOG_TRY(WithoutHooks(tool, settings));
  if (Root(text).empty()) text = "{}\n";
  for (const Subscription& subscription : SubscriptionsOf(tool)) {
    text = WithField(text, Root(text), kHooks, "{}");
    text = WithField(text, *FieldOf(Root(text), kHooks), subscription.event, "[]");
    text = WithItem(text, *FieldOf(*FieldOf(Root(text), kHooks), subscription.event), {},
                    GroupText(tool, subscription, command));
  }
  return text;
}

}  // namespace turnlog
