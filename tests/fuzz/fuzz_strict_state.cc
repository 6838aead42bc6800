// Any bytes as the state of a watermark: refused, or a state that is written and read again as the same. The input goes
// without the checksum behind it, which no mutation would hit.
#include <string>
#include <string_view>

#include "base/coding.h"
#include "base/hash.h"
#include "sanitize/repair/strict_state.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  (void)DecodeStrictState(input);
  std::string bytes(input);
  AppendBig(bytes, Hash64(bytes));
  const auto state = DecodeStrictState(bytes);
  if (!state) return 0;
  const auto again = DecodeStrictState(Encode(*state));
  Require(again && *again == *state);
  return 0;
}
