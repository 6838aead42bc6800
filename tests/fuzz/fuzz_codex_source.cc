// Any bytes as a session of Codex.
#include "migrate/codex/format.h"
#include "tests/fuzz/fuzz_records.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  turnlog::FuzzRecords(turnlog::kCodexFormat, "fuzz.jsonl", {reinterpret_cast<const char*>(data), size});
  return 0;
}
