#include "providers/image.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace turnlog {
namespace {

std::uint32_t Byte(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<std::uint8_t>(bytes[at]) : 0;
}
std::uint32_t Big16(std::string_view bytes, std::size_t at) { return Byte(bytes, at) << 8 | Byte(bytes, at + 1); }
std::uint32_t Big32(std::string_view bytes, std::size_t at) { return Big16(bytes, at) << 16 | Big16(bytes, at + 2); }
std::uint32_t Little16(std::string_view bytes, std::size_t at) { return Byte(bytes, at + 1) << 8 | Byte(bytes, at); }
std::uint32_t Little24(std::string_view bytes, std::size_t at) {
  return Byte(bytes, at + 2) << 16 | Little16(bytes, at);
}

// The size is in the first frame header, behind segments of any length.
ImageInfo ReadJpeg(std::string_view bytes) {
  ImageInfo info{.media_type = "image/jpeg"};
  for (std::size_t at = 2; at + 9 <= bytes.size();) {
    if (Byte(bytes, at) != 0xff) break;
    const std::uint32_t marker = Byte(bytes, at + 1);
    if (marker == 0xff) {
      ++at;  // filling
      continue;
    }
    const bool frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (frame) {
      info.height = Big16(bytes, at + 5);
      info.width = Big16(bytes, at + 7);
      break;
    }
    at += 2 + Big16(bytes, at + 2);
  }
  return info;
}

ImageInfo ReadWebp(std::string_view bytes) {
  ImageInfo info{.media_type = "image/webp"};
  const std::string_view chunk = bytes.substr(12, 4);
  if (chunk == "VP8X") {
    info.width = Little24(bytes, 24) + 1;
    info.height = Little24(bytes, 27) + 1;
  } else if (chunk == "VP8 ") {
    info.width = Little16(bytes, 26) & 0x3fff;
    info.height = Little16(bytes, 28) & 0x3fff;
  } else if (chunk == "VP8L") {
    info.width = (Little16(bytes, 21) & 0x3fff) + 1;
    info.height = (Little24(bytes, 22) >> 6 & 0x3fff) + 1;
  }
  return info;
}

}  // namespace

std::optional<ImageInfo> ReadImageInfo(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv)) return ImageInfo{"image/png", Big32(bytes, 16), Big32(bytes, 20)};
  if (bytes.starts_with("\xff\xd8\xff"sv)) return ReadJpeg(bytes);
  if (bytes.starts_with("GIF8"sv)) return ImageInfo{"image/gif", Little16(bytes, 6), Little16(bytes, 8)};
  if (bytes.starts_with("RIFF"sv) && bytes.size() >= 16 && bytes.substr(8, 4) == "WEBP") return ReadWebp(bytes);
  if (bytes.size() >= 12 && bytes.substr(4, 4) == "ftyp" &&
      (bytes.substr(8, 3) == "hei" || bytes.substr(8, 3) == "mif")) {
    return ImageInfo{.media_type = "image/heic"};
  }
  return std::nullopt;
}

bool IsReadImageType(std::string_view media_type) {
  static constexpr std::string_view kTypes[] = {"image/png",  "image/jpeg", "image/jpg", "image/gif",
                                                "image/webp", "image/heic", "image/heif"};
  return std::ranges::find(kTypes, media_type) != std::end(kTypes);
}

}  // namespace turnlog
