// Any bytes as a file of JSON lines: every event is valid, and reading again gives the same.
#include "migrate/jsonl/reader.h"
#include "tests/fuzz/fuzz_source.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Source source = MemorySource("fuzz", {{"fuzz.jsonl", text}});
  JsonlReader first(source.files.front());
  const std::vector<std::string> items = ReadItems(first, text.size());
  JsonlReader second(source.files.front());
  Require(ReadItems(second, text.size()) == items);
  return 0;
}
