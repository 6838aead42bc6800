// Any bytes as a database or as the state of a run of the OpenAI Agents SDK.
#include "migrate/openai_agents/format.h"
#include "tests/fuzz/fuzz_databases.h"
#include "tests/fuzz/fuzz_records.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  turnlog::FuzzDatabase(turnlog::kOpenAiAgentsFormat, text);
  turnlog::FuzzRecords(turnlog::kOpenAiAgentsFormat, "fuzz.json", text);
  return 0;
}
