// Any bytes as the template of an imported record, with a value planted: it is gone from what remains, or all of the
// template goes.
#include <string>
#include <string_view>

#include "sanitize/redaction/redacted_template.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_bytes.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  constexpr std::string_view kValue = "kJ8mQ2zvR5xT";
  InputBytes input(data, size);
  const std::size_t at = input.Number(2);
  std::string text(input.Rest());
  text.insert(std::min(at, text.size()), kValue);
  const auto find = [&](std::string_view in) {
    std::vector<TextSpan> spans;
    for (std::size_t from = 0; (from = in.find(kValue, from)) != std::string_view::npos; from += kValue.size()) {
      spans.push_back({from, from + kValue.size()});
    }
    return spans;
  };
  const auto redacted = RedactTemplate(find, text);
  if (redacted) Require(!redacted->contains(kValue));
  return 0;
}
