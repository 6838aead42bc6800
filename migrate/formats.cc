#include <algorithm>
#include <array>

#include "migrate/anthropic/format.h"
#include "migrate/claude_code/format.h"
#include "migrate/codex/format.h"
#include "migrate/format.h"
#include "migrate/gemini/format.h"
#include "migrate/jp/format.h"
#include "migrate/jsonl/format.h"
#include "migrate/langgraph/format.h"
#include "migrate/openai/format.h"
#include "migrate/openai_agents/format.h"
#include "migrate/opencode/format.h"
#include "migrate/ui_messages/format.h"
#include "turnlog/providers/lint.h"

namespace turnlog {
namespace {

constexpr std::array kFormats{&kJpFormat,           &kClaudeCodeFormat, &kCodexFormat,      &kGeminiFormat,
                              &kGeminiCliFormat,    &kOpencodeFormat,   &kAnthropicFormat,  &kOpenAiFormat,
                              &kOpenAiAgentsFormat, &kLangGraphFormat,  &kUiMessagesFormat, &kModelMessagesFormat,
                              &kJsonlFormat};

}  // namespace

std::span<const Format* const> AllFormats() { return kFormats; }

const Format* FindFormat(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &Format::name);
  return found == kFormats.end() ? nullptr : *found;
}

std::vector<FormatInfo> Formats() {
  std::vector<FormatInfo> infos;
  for (const Format* format : kFormats) {
    infos.push_back({.name = format->name,
                     .description = format->description,
                     .imports = format->import.read != nullptr,
                     .exports_to_stream = format->export_to_stream != nullptr,
                     .exports_to_folder = format->export_to_folder != nullptr,
                     .has_layouts = format->has_layouts});
  }
  for (const Provider provider : AllProviders()) {
    if (FindFormat(ToString(provider)) != nullptr) continue;
    infos.push_back({.name = ToString(provider), .description = "bodies of requests", .exports_to_stream = true});
  }
  return infos;
}

}  // namespace turnlog
