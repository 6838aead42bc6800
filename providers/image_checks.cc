#include "providers/image_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "providers/image.h"
#include "providers/limits.h"

namespace turnlog {
void ImageChecks::Add(const JsonNode& data, std::string_view media_type) {
  std::string_view base64 = data.string;
  if (base64.starts_with("data:")) {
    const std::size_t comma = std::min(base64.find(','), base64.size());
    const std::string_view header = base64.substr(5, comma - 5);
    media_type = header.substr(0, header.find(';'));
    base64.remove_prefix(std::min(comma + 1, base64.size()));
  }
  AddReference(data);
  if (!seen_.insert(base64).second) {
    findings_.Add(RuleId::kDuplicateImage, data, fmt::format("{} bytes again", base64.size()));
  }
  CheckBytes(data, base64, media_type == "image/jpg" && provider_ != Provider::kAnthropic ? "image/jpeg" : media_type);
}

void ImageChecks::AddReference(const JsonNode& at) {
  ++count_;
  if (count_ == LimitsOf(provider_).images + 1) beyond_ = &at;
}

void ImageChecks::CheckBytes(const JsonNode& at, std::string_view base64, std::string_view media_type) {
  const ProviderLimits& limits = LimitsOf(provider_);
  const auto bytes = DecodeBase64(base64);
  const auto info = bytes ? ReadImageInfo(*bytes) : std::nullopt;
  if (!info) return findings_.Add(RuleId::kImageEncoding, at);
  if (info->media_type != media_type || !limits.AcceptsImage(media_type)) {
    findings_.Add(RuleId::kImageType, at, fmt::format("the bytes are {}", info->media_type));
  }
  if (limits.image_bytes != 0 && base64.size() > limits.image_bytes) {
    findings_.Add(RuleId::kImageBytes, at, fmt::format("{} bytes", base64.size()));
  }
  if (limits.image_side == 0) return;
  const std::uint32_t longest = std::max(info->width, info->height);
  if (longest > limits.image_side) {
    findings_.Add(RuleId::kImagePixels, at, fmt::format("{} x {} pixels", info->width, info->height));
  } else if (longest > limits.many_images_side) {
    sides_.push_back({&at, longest});
  }
}

void ImageChecks::Finish() {
  if (beyond_ != nullptr) findings_.Add(RuleId::kImageCount, *beyond_, fmt::format("{} images", count_));
  if (count_ <= LimitsOf(provider_).many_images) return;
  for (const Side& side : sides_) {
    findings_.Add(RuleId::kManyImagesPixels, *side.at, fmt::format("{} images, {} pixels", count_, side.longest));
  }
}

}  // namespace turnlog
