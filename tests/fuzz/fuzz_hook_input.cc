// Any text as what an agent tool gives to a hook, and as its settings: refused, or settings that stay valid when
// the hooks are put in and taken out.
#include <string>
#include <string_view>

#include "hooks/hook_event.h"
#include "schema/json/json_scan.h"
#include "tests/fuzz/fuzz_target.h"
#include "turnlog/hooks/hook_settings.h"

namespace {

using namespace turnlog;

void ChangeSettings(AgentTool tool, std::string_view text) {
  const auto with = WithHooks(tool, text, {.program = "/bin/logctl", .arguments = {}});
  if (!with) return;
  Require(!FindJsonFault(*with));
  const auto without = WithoutHooks(tool, *with);
  Require(without && !FindJsonFault(*without));
  Require(WithoutHooks(tool, *without) == *without);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto event = ParseHookEvent(text)) {
    Require(!event->name.empty() && !event->session.empty());
    (void)event->Conversation();
  }
  ChangeSettings(AgentTool::kClaudeCode, text);
  ChangeSettings(AgentTool::kCodex, text);
  return 0;
}
