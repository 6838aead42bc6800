#include "migrate/sources/wrong_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "migrate/records/json_array.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// Whether the text is JSON values with white space between them, of which the last may be cut by the end of the probe.
bool IsWellFormed(std::string_view text) {
  const bool is_cut = text.size() >= kMoreProbeBytes;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (text = TrimJsonSpace(text); !text.empty(); text = TrimJsonSpace(text)) {
    const JsonEnd end = ScanJson(text);
    if (!end) return is_cut && (end.error().what == kJsonEndsEarly || end.error().what == kJsonStringEndsEarly);
    text.remove_prefix(*end);
  }
  return true;
}

// The program that has compressed the file, if its texts are in it in that form only.
std::string_view CompressionOf(std::string_view head) {
  struct Compression {
    std::string_view magic, program;
  };
  constexpr std::array<Compression, 4> kKnown{
      {{"\x1f\x8b", "gzip"}, {"\xfd\x37zXZ", "xz"}, {"BZh", "bzip2"}, {"PK\x03\x04", "zip"}}};
  const auto has_magic = [&](const Compression& each) { return head.starts_with(each.magic); };
  const auto found = std::ranges::find_if(kKnown, has_magic);
  return found == kKnown.end() ? std::string_view() : found->program;
}

std::string UnpackFirst(std::string_view program) {
  return fmt::format("is compressed with {}: unpack it first", program);
}

bool HasSign(const Format& format, std::string_view head) {
  return std::ranges::any_of(format.import.signs, [&](std::string_view sign) { return head.contains(sign); });
}

const Format* FormatByContent(const FileProbe& probe) {
  const auto match = [&](const Format* format) {
    return format->import.match_file != nullptr && format->import.match_file(probe) == Match::kByContent;
  };
  const auto found = std::ranges::find_if(AllFormats(), match);
  return found == AllFormats().end() ? nullptr : *found;
}

}  // namespace

std::string WrongFormat::Reason(const Format& asked) const {
  if (!compression.empty()) return UnpackFirst(compression);
  if (other == nullptr) return fmt::format("has nothing of the format {}", asked.name);
  return fmt::format("is of the format {}, not of {}", other->name, asked.name);
}

std::optional<WrongFormat> FindWrongFormat(const Format& asked, const FileProbe& probe) {
  if (asked.import.match_file(probe) == Match::kByContent) return std::nullopt;
  if (const auto program = CompressionOf(probe.head); !program.empty()) return WrongFormat{.compression = program};
  if (!probe.head.contains('"') || !IsWellFormed(probe.head)) return std::nullopt;
  if (const Format* other = FormatByContent(probe)) return WrongFormat{.other = other};
  const bool is_cut = probe.head.size() >= kMoreProbeBytes;
  if (asked.import.signs.empty() || is_cut || HasSign(asked, probe.head)) return std::nullopt;
  return WrongFormat{};
}

std::vector<std::string_view> PossibleFormats(const FileProbe& probe) {
  std::vector<std::string_view> names;
  for (const Format* format : AllFormats()) {
    if (format->import.match_file == nullptr || !HasSign(*format, probe.head)) continue;
    if (format->import.match_file(probe) != Match::kNo) names.push_back(format->name);
  }
  return names;
}

std::string ChoiceFrom(const std::vector<std::string_view>& formats) {
  if (formats.empty()) return {};
  return fmt::format("; name it instead of auto if it is one of: {}", fmt::join(formats, ", "));
}

std::string WhyUnknown(const FileProbe& probe) {
  if (const auto program = CompressionOf(probe.head); !program.empty()) return UnpackFirst(program);
  return "unknown format" + ChoiceFrom(PossibleFormats(probe));
}

}  // namespace turnlog
