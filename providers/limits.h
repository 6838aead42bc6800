// What each API accepts at most, in numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "turnlog/providers/lint.h"

namespace turnlog {

// 0: no limit is known.
struct ProviderLimits {
  std::size_t request_bytes = 0;
  std::size_t image_bytes = 0;  // in base64
  std::uint32_t image_side = 0;
  std::size_t many_images = 0;  // more than these are many
  std::uint32_t many_images_side = 0;
  std::size_t images = 0;
  std::size_t call_id = 0;
  std::size_t tool_name = 0;
  std::string_view image_types;  // separated by spaces

  bool AcceptsImage(std::string_view media_type) const;
};

const ProviderLimits& LimitsOf(Provider provider);

}  // namespace turnlog
