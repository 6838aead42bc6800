// Any text as a request to each model provider, and any bytes as an image: no JSON, or findings within the text.
#include <string_view>

#include "providers/image.h"
#include "tests/fuzz/fuzz_target.h"
#include "turnlog/providers/lint.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto image = ReadImageInfo(text)) Require(IsReadImageType(image->media_type));
  for (const Provider provider : AllProviders()) {
    const auto findings = LintRequest(provider, text);
    if (!findings) continue;
    for (const ProviderFinding& finding : *findings) {
      Require(finding.rule != nullptr && finding.rule->AppliesTo(provider));
      Require(finding.byte < size && finding.line >= 1);
    }
  }
  return 0;
}
