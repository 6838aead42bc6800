// Any text as the target of a question: refused, or one that is written and read again as the same.
#include <string_view>

#include "tests/fuzz/fuzz_target.h"
#include "turnlog/inquiry/target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  const auto target = ParseTarget({reinterpret_cast<const char*>(data), size});
  if (!target) return 0;
  (void)target->model();
  const auto again = ParseTarget(ToJson(*target).text());
  Require(again && again->kind == target->kind && ToJson(*again) == ToJson(*target));
  return 0;
}
