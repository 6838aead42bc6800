#include "providers/limits.h"

#include <algorithm>

namespace turnlog {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// 5 MiB per image holds for the API behind clouds, too; Anthropic's own accepts more by now.
constexpr ProviderLimits kAnthropic{.request_bytes = 32 * kMiB,
                                    .image_bytes = 5 * kMiB,
                                    .image_side = 8000,
                                    .many_images = 20,
                                    .many_images_side = 2000,
                                    .images = 100,
                                    .tool_name = 128,
                                    .image_types = "image/jpeg image/png image/gif image/webp"};
constexpr ProviderLimits kChat{.request_bytes = 50 * kMiB,
                               .images = 500,
                               .call_id = 40,
                               .tool_name = 64,
                               .image_types = "image/jpeg image/png image/gif image/webp"};
constexpr ProviderLimits kResponses{.request_bytes = 50 * kMiB,
                                    .images = 500,
                                    .call_id = 64,
                                    .tool_name = 64,
                                    .image_types = "image/jpeg image/png image/gif image/webp"};
constexpr ProviderLimits kGemini{.request_bytes = 20 * kMiB,
                                 .images = 3600,
                                 .tool_name = 64,
                                 .image_types = "image/jpeg image/png image/webp image/heic image/heif"};

}  // namespace

bool ProviderLimits::AcceptsImage(std::string_view media_type) const {
  for (std::string_view rest = image_types; !rest.empty();) {
    const std::string_view type = rest.substr(0, rest.find(' '));
    if (type == media_type) return true;
    rest.remove_prefix(std::min(type.size() + 1, rest.size()));
  }
  return false;
}

const ProviderLimits& LimitsOf(Provider provider) {
  switch (provider) {
    case Provider::kAnthropic:
      return kAnthropic;
    case Provider::kOpenAiChat:
      return kChat;
    case Provider::kOpenAiResponses:
      return kResponses;
    case Provider::kGemini:
      break;
  }
  return kGemini;
}

}  // namespace turnlog
