// Any bytes as a document of the format "model-messages".
#include "migrate/ui_messages/format.h"
#include "tests/fuzz/fuzz_records.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  turnlog::FuzzRecords(turnlog::kModelMessagesFormat, "fuzz.json", {reinterpret_cast<const char*>(data), size});
  return 0;
}
