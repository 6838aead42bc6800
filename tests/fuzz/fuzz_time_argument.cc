// Any text as the value of --since: refused, or a time, which is read again as the same if it is written out.
#include <string>

#include "logctl/time_argument.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto time = turnlog::ParseTimeArgument("--since", text);
  if (!time) return 0;
  const auto again = turnlog::ParseTimeArgument("--since", time->ToRfc3339());
  turnlog::Require(!again || *again == *time);  // an age may lead before the years that are written
  return 0;
}
