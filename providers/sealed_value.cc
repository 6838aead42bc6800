#include "providers/sealed_value.h"

#include <cstddef>
#include <optional>
#include <string>

#include "base/base64.h"

namespace turnlog {
namespace {

constexpr char kFernetVersion = '\x80';
// Version, time, initialization vector and signature around whole blocks of cipher text.
constexpr std::size_t kFernetFrame = 1 + 8 + 16 + 32, kFernetBlock = 16;

class ProtobufWalk {
 public:
  explicit ProtobufWalk(std::string_view bytes) : bytes_(bytes) {}

  // Whether the bytes are fields up to the last one.
  bool IsWhole() {
    if (bytes_.empty()) return false;
    while (at_ < bytes_.size()) {
      if (!Field()) return false;
    }
    return true;
  }

 private:
  bool Field() {
    const auto tag = Number();
    if (!tag || *tag >> 3 == 0) return false;
    switch (*tag & 7) {
      case 0:
        return Number().has_value();
      case 1:
        return Skip(8);
      case 2: {
        const auto length = Number();
        return length && Skip(*length);
      }
      case 5:
        return Skip(4);
      default:
        return false;
    }
  }

  std::optional<std::uint64_t> Number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    return std::nullopt;
  }

  bool Skip(std::uint64_t length) {
    if (length > bytes_.size() - at_) return false;
    at_ += static_cast<std::size_t>(length);
    return true;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

std::optional<std::string> Decode(std::string_view value) {
  auto bytes = DecodeBase64(value);
  return bytes ? bytes : DecodeBase64(value, Base64Alphabet::kUrlSafe);
}

}  // namespace

SealedForm FormOf(std::string_view value) {
  const auto bytes = Decode(value);
  if (!bytes || bytes->empty()) return SealedForm::kBroken;
  if (bytes->front() == kFernetVersion) {
    const bool whole = bytes->size() > kFernetFrame && (bytes->size() - kFernetFrame) % kFernetBlock == 0;
    return whole ? SealedForm::kToken : SealedForm::kBroken;
  }
  return ProtobufWalk(*bytes).IsWhole() ? SealedForm::kMessage : SealedForm::kBroken;
}

}  // namespace turnlog
