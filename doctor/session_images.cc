#include "doctor/session_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "providers/image.h"
#include "providers/limits.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// The type of a text among the parts of a message, with its comma.
std::string_view TextType(Provider provider) {
  if (provider == Provider::kGemini) return "";
  return provider == Provider::kOpenAiResponses ? R"("type":"input_text",)" : R"("type":"text",)";
}

struct DataUrl {
  std::string_view media_type, base64;
};

DataUrl SplitDataUrl(std::string_view url) {
  constexpr std::string_view kScheme = "data:";
  const std::size_t comma = std::min(url.find(','), url.size());
  const std::string_view header = url.substr(kScheme.size(), comma - kScheme.size());
  return {header.substr(0, header.find(';')), url.substr(std::min(comma + 1, url.size()))};
}

}  // namespace

void SessionImages::Add(const SessionRecord& record, std::string_view part, std::string_view data,
                        std::string_view media_type) {
  const bool escaped = data.contains('\\');
  const std::string unescaped = escaped ? UnescapeJson(data) : std::string();
  std::string_view base64 = escaped ? std::string_view(unescaped) : data.substr(1, data.size() - 2);
  Image image{{record.line(), record.Begin(part)}, record.Begin(part), record.End(part)};
  const bool is_url = base64.starts_with("data:");
  if (!is_url && media_type.empty()) {
    images_.push_back(image);  // elsewhere
    return;
  }
  const DataUrl url = is_url ? SplitDataUrl(base64) : DataUrl{media_type.substr(1, media_type.size() - 2), base64};
  std::string detail;
  std::string_view true_type;
  const std::string_view fault = Fault(url.base64, url.media_type, image, detail, true_type);
  if (fault.empty()) {
    images_.push_back(image);
  } else if (fault == "image-type" && !true_type.empty() && !is_url) {
    diagnosis_.Add(fault, image.place, true, std::move(detail));
    diagnosis_.edits().Replace(record.Begin(media_type), record.End(media_type), fmt::format("\"{}\"", true_type));
    images_.push_back(image);
  } else {
    Replace(fault, image, std::move(detail));
  }
}

// The rule that the image breaks alone; none: empty.
std::string_view SessionImages::Fault(std::string_view base64, std::string_view media_type, Image& image,
                                      std::string& detail, std::string_view& true_type) const {
  const ProviderLimits& limits = LimitsOf(provider_);
  if (limits.image_bytes != 0 && base64.size() > limits.image_bytes) {
    detail = fmt::format("{} bytes", base64.size());
    return "image-bytes";
  }
  const auto bytes = DecodeBase64(base64);
  const auto info = bytes ? ReadImageInfo(*bytes) : std::nullopt;
  if (!info) return "image-encoding";
  const std::uint32_t longest = std::max(info->width, info->height);
  if (limits.image_side != 0 && longest > limits.image_side) {
    detail = fmt::format("{} x {} pixels", info->width, info->height);
    return "image-pixels";
  }
  image.is_large = limits.many_images_side != 0 && longest > limits.many_images_side;
  if (media_type == "image/jpg" && provider_ != Provider::kAnthropic) media_type = "image/jpeg";
  if (info->media_type == media_type && limits.AcceptsImage(media_type)) return {};
  if (limits.AcceptsImage(info->media_type)) true_type = info->media_type;
  detail = fmt::format("the bytes are {}", info->media_type);
  return "image-type";
}

void SessionImages::Replace(std::string_view rule, const Image& image, std::string detail) {
  diagnosis_.Add(rule, image.place, true, std::move(detail));
  diagnosis_.edits().Replace(
      image.begin, image.end,
      fmt::format(R"({{{}"text":"[An image was here that the provider refuses: {}]"}})", TextType(provider_), rule));
}

void SessionImages::Forget() { images_.clear(); }

void SessionImages::Finish() {
  const ProviderLimits& limits = LimitsOf(provider_);
  const std::size_t count = images_.size();
  const std::size_t beyond = limits.images != 0 && count > limits.images ? count - limits.images : 0;
  const bool many = limits.many_images != 0 && count - beyond > limits.many_images;
  for (std::size_t i = 0; i < count; ++i) {
    if (i < beyond) {
      Replace("image-count", images_[i], fmt::format("{} images", count));
    } else if (many && images_[i].is_large) {
      Replace("many-images-pixels", images_[i], fmt::format("{} images", count));
    }
  }
}

}  // namespace turnlog
