#include "doctor/session_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "migrate/records/mended_texts.h"
#include "providers/limits.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

constexpr std::string_view kDataScheme = "data:";

// The fields of a text among the parts of a message.
std::string_view TextFields(std::optional<Provider> provider) {
  if (provider == Provider::kGemini) return "";
  return provider == Provider::kOpenAiResponses ? R"("type":"input_text",)" : R"("type":"text",)";
}

std::string_view WithoutQuotes(std::string_view token) { return token.substr(1, token.size() - 2); }

ProviderLimits LimitsOf(std::optional<Provider> provider) { return provider ? LimitsOf(*provider) : ProviderLimits(); }

}  // namespace

void SessionImages::Add(const SessionRecord& record, std::string_view part, std::string_view data,
                        std::string_view media_type, std::string fields) {
  Image image = Measure(record, {record.Begin(part), record.End(part)}, data, media_type);
  image.fields = std::move(fields);
  images_.push_back(std::move(image));
}

void SessionImages::AddRemovable(const SessionRecord& record, std::uint64_t begin, std::uint64_t end,
                                 std::string_view data, std::string_view media_type) {
  Image image = Measure(record, {begin, end}, data, media_type);
  image.is_removable = true;
  images_.push_back(std::move(image));
}

SessionImages::Image SessionImages::Measure(const SessionRecord& record, Range block, std::string_view data,
                                            std::string_view media_type) const {
  Image image{.location = {record.line(), block.begin}, .block = block, .fields = {}, .info = {}, .media_type = {}};
  const bool is_escaped = data.contains('\\');
  const std::string unescaped = is_escaped ? UnescapeJson(data) : std::string();
  std::string_view base64 = is_escaped ? std::string_view(unescaped) : WithoutQuotes(data);
  std::string_view type = media_type.empty() ? media_type : WithoutQuotes(media_type);
  if (!media_type.empty()) image.types.push_back({record.Begin(type), record.End(type)});
  if (base64.starts_with(kDataScheme)) {
    const std::size_t comma = std::min(base64.find(','), base64.size());
    const std::string_view header = base64.substr(kDataScheme.size(), comma - kDataScheme.size());
    const std::string_view named = header.substr(0, header.find(';'));
    if (!is_escaped) image.types.push_back({record.Begin(named), record.End(named)});
    if (is_escaped) image.types.clear();
    if (type.empty()) type = named;
    base64.remove_prefix(std::min(comma + 1, base64.size()));
  } else if (media_type.empty()) {
    image.is_elsewhere = true;
    return image;
  }
  image.media_type = type;
  image.base64_bytes = base64.size();
  if (const auto bytes = DecodeBase64(base64)) image.info = ReadImageInfo(*bytes);
  return image;
}

bool SessionImages::IsLarge(const Image& image) const {
  const std::uint32_t side = LimitsOf(provider_).many_images_side;
  return side != 0 && image.info && std::max(image.info->width, image.info->height) > side;
}

// The rule that the image breaks alone; none: empty.
std::string_view SessionImages::FindFault(const Image& image, std::string& detail) const {
  if (image.is_elsewhere) return {};
  const ProviderLimits limits = LimitsOf(provider_);
  if (limits.image_bytes != 0 && image.base64_bytes > limits.image_bytes) {
    detail = fmt::format("{} bytes", image.base64_bytes);
    return "image-bytes";
  }
  if (!image.info) return provider_ || IsReadImageType(image.media_type) ? "image-encoding" : "";
  if (limits.image_side != 0 && std::max(image.info->width, image.info->height) > limits.image_side) {
    detail = fmt::format("{} x {} pixels", image.info->width, image.info->height);
    return "image-pixels";
  }
  std::string_view named = image.media_type;
  if (named == "image/jpg" && provider_ != Provider::kAnthropic) named = "image/jpeg";
  if (!provider_ || (image.info->media_type == named && limits.AcceptsImage(named))) return {};
  detail = fmt::format("the bytes are {}", image.info->media_type);
  return "image-type";
}

// False if the provider does not accept such images, or if it is not clear where their type is written.
bool SessionImages::CorrectType(const Image& image, const std::string& detail) {
  const std::string_view type = image.info->media_type;
  if (!LimitsOf(provider_).AcceptsImage(type) || image.types.empty()) return false;
  diagnosis_.Add("image-type", image.location, true, detail);
  for (const Range& range : image.types) diagnosis_.edits().Replace(range.begin, range.end, std::string(type));
  return true;
}

void SessionImages::JudgeEach() {
  std::erase_if(images_, [this](const Image& image) {
    std::string detail;
    const std::string_view fault = FindFault(image, detail);
    if (fault.empty() || (fault == "image-type" && CorrectType(image, detail))) return false;
    Replace(fault, image, std::move(detail));
    return true;
  });
}

void SessionImages::Replace(std::string_view rule, const Image& image, std::string detail) {
  diagnosis_.Add(rule, image.location, true, std::move(detail));
  const auto [begin, end] = image.block;
  if (image.is_removable) return diagnosis_.edits().Remove(begin, end);
  diagnosis_.edits().Replace(
      begin, end,
      fmt::format(R"({{{}"text":"{}{}]"}})", image.fields.empty() ? TextFields(provider_) : image.fields, kRefusedImage,
                  rule));
}

void SessionImages::Forget() {
  JudgeEach();
  images_.clear();
}

void SessionImages::Finish() {
  JudgeEach();
  const ProviderLimits limits = LimitsOf(provider_);
  const std::size_t count = images_.size();
  const std::size_t beyond = limits.images != 0 && count > limits.images ? count - limits.images : 0;
  const bool many = limits.many_images != 0 && count - beyond > limits.many_images;
  for (std::size_t i = 0; i < count; ++i) {
    if (i < beyond) {
      Replace("image-count", images_[i], fmt::format("{} images", count));
    } else if (many && IsLarge(images_[i])) {
      Replace("many-images-pixels", images_[i], fmt::format("{} images", count));
    }
  }
}

}  // namespace turnlog
