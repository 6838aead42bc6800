// Any bytes as how far a conversation was searched for secrets: not understood, or written again and read as the same.
#include <string>

#include "sanitize/redaction/redaction_watermark.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  const std::string search = "0123456789abcdefsd";
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string& state : {bytes, std::string(search).append(" ").append(bytes)}) {
    const auto found = DecodeSearchWatermark({{1'000'000}, state}, search);
    if (!found) continue;
    Require(found->turn <= found->head);
    const auto again = DecodeSearchWatermark(EncodeSearchWatermark(*found, search), search);
    Require(again && again->head == found->head && again->turn == found->turn);
  }
  return 0;
}
