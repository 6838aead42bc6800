#include "providers/known_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "providers/shared_checks.h"

namespace turnlog {
namespace {

constexpr std::array<std::string_view, 19> kAnthropicTypes{"bash_code_execution_tool_result",
                                                           "code_execution_tool_result",
                                                           "container_upload",
                                                           "document",
                                                           "image",
                                                           "mcp_tool_result",
                                                           "mcp_tool_use",
                                                           "redacted_thinking",
                                                           "search_result",
                                                           "server_tool_use",
                                                           "text",
                                                           "text_editor_code_execution_tool_result",
                                                           "thinking",
                                                           "tool_reference",
                                                           "tool_result",
                                                           "tool_search_tool_result",
                                                           "tool_use",
                                                           "web_fetch_tool_result",
                                                           "web_search_tool_result"};
constexpr std::array<std::string_view, 5> kChatTypes{"file", "image_url", "input_audio", "refusal", "text"};
constexpr std::array<std::string_view, 34> kResponsesTypes{"apply_patch_call",
                                                           "apply_patch_call_output",
                                                           "code_interpreter_call",
                                                           "computer_call",
                                                           "computer_call_output",
                                                           "computer_screenshot",
                                                           "custom_tool_call",
                                                           "custom_tool_call_output",
                                                           "file_search_call",
                                                           "function_call",
                                                           "function_call_output",
                                                           "image_generation_call",
                                                           "input_audio",
                                                           "input_file",
                                                           "input_image",
                                                           "input_text",
                                                           "item_reference",
                                                           "local_shell_call",
                                                           "local_shell_call_output",
                                                           "mcp_approval_request",
                                                           "mcp_approval_response",
                                                           "mcp_call",
                                                           "mcp_list_tools",
                                                           "message",
                                                           "output_text",
                                                           "reasoning",
                                                           "reasoning_text",
                                                           "refusal",
                                                           "shell_call",
                                                           "shell_call_output",
                                                           "summary_text",
                                                           "tool_search_call",
                                                           "tool_search_output",
                                                           "web_search_call"};

// Gemini's parts have no type.
std::span<const std::string_view> KnownTypes(Provider provider) {
  switch (provider) {
    case Provider::kAnthropic:
      return kAnthropicTypes;
    case Provider::kOpenAiChat:
      return kChatTypes;
    case Provider::kOpenAiResponses:
      return kResponsesTypes;
    case Provider::kGemini:
      return {};
  }
  return {};
}

bool Knows(Provider provider, std::string_view type) {
  return std::ranges::find(KnownTypes(provider), type) != KnownTypes(provider).end();
}

}  // namespace

void CheckType(Provider provider, const JsonNode& block, Findings& findings) {
  const std::string_view type = TextOf(block, "type");
  if (type.empty() || Knows(provider, type)) return;
  for (const Provider other : AllProviders()) {
    if (!Knows(other, type)) continue;
    return findings.Add(RuleId::kShape, block, fmt::format("the type `{}` is of {}", type, ToString(other)));
  }
}

void RequireType(Provider provider, const JsonNode& block, Findings& findings) {
  if (TextOf(block, "type").empty()) return findings.Add(RuleId::kShape, block, "a part must have a `type`");
  CheckType(provider, block, findings);
}

}  // namespace turnlog
