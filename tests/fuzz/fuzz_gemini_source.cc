// Any bytes as a session of Gemini CLI.
#include "migrate/gemini/format.h"
#include "tests/fuzz/fuzz_records.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  turnlog::FuzzRecords(turnlog::kGeminiFormat, "fuzz.jsonl", text);
  turnlog::FuzzRecords(turnlog::kGeminiFormat, "fuzz.json", text);
  return 0;
}
