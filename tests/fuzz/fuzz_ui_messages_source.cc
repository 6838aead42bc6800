// Any bytes as a document of the format "ui-messages".
#include "migrate/ui_messages/format.h"
#include "tests/fuzz/fuzz_records.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  turnlog::FuzzRecords(turnlog::kUiMessagesFormat, "fuzz.json", {reinterpret_cast<const char*>(data), size});
  return 0;
}
