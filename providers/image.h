// What the first bytes of an image say about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace turnlog {

struct ImageInfo {
  std::string_view media_type;
  // 0: not known.
  std::uint32_t width = 0, height = 0;
};

// PNG, JPEG, GIF, WebP, HEIC; nothing for anything else.
std::optional<ImageInfo> ReadImageInfo(std::string_view bytes);
// Whether images of this type are recognized.
bool IsReadImageType(std::string_view media_type);

}  // namespace turnlog
