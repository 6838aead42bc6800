// Any text as the parts of a request's target and as addresses: refused, or written again and read as the same.
#include <string>
#include <string_view>

#include "http/socket.h"
#include "http/url.h"
#include "http/web_address.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace turnlog;

void ReadTarget(std::string_view text) {
  if (const auto decoded = PercentDecode(text)) Require(PercentDecode(PercentEncode(*decoded)) == decoded);
  if (const auto segments = SplitPath(text)) {
    std::string again;
    for (const std::string& segment : *segments) again.append("/").append(PercentEncode(segment));
    Require(SplitPath(again.empty() ? "/" : again) == segments);
  }
  if (const auto fields = SplitQuery(text)) {
    std::string again;
    for (const auto& [name, value] : *fields) {
      again.append(again.empty() ? "" : "&").append(PercentEncode(name)).append("=").append(PercentEncode(value));
    }
    Require(SplitQuery(again) == fields);
  }
}

void ReadAddresses(std::string_view text) {
  if (const auto address = ParseTcpAddress(text)) {
    const auto again = ParseTcpAddress(address->ToText());
    Require(again && again->ToText() == address->ToText());
  }
  if (const auto address = ParseWebAddress(text)) {
    const std::string scheme = address->encrypted ? "https://" : "http://";
    const auto again = ParseWebAddress(scheme + address->Authority() + address->target);
    Require(again && again->Authority() == address->Authority() && again->target == address->target);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ReadTarget(text);
  ReadAddresses(text);
  return 0;
}
