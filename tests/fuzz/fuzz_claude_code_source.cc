// Any bytes as a session of Claude Code.
#include "migrate/claude_code/format.h"
#include "tests/fuzz/fuzz_records.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  turnlog::FuzzRecords(turnlog::kClaudeCodeFormat, "fuzz.jsonl", {reinterpret_cast<const char*>(data), size});
  return 0;
}
