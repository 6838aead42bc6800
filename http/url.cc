#include "http/url.h"

#include <algorithm>

namespace turnlog {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEF";

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

// Calls `on_part` with the parts between separators, until it returns false.
bool ForEachPart(std::string_view text, char separator, const auto& on_part) {
  for (;;) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (!on_part(text.substr(0, end))) return false;
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size() || HexValue(text[i + 1]) < 0 || HexValue(text[i + 2]) < 0) return std::nullopt;
    decoded.push_back(static_cast<char>(HexValue(text[i + 1]) * 16 + HexValue(text[i + 2])));
    i += 2;
  }
  return decoded;
}

std::string PercentEncode(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsUnreserved(c)) {
      encoded.push_back(c);
    } else {
      encoded.append({'%', kDigits[byte >> 4], kDigits[byte & 15]});
    }
  }
  return encoded;
}

std::optional<std::vector<std::string>> SplitPath(std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  std::vector<std::string> segments;
  const bool whole = ForEachPart(path.substr(1), '/', [&](std::string_view part) {
    auto segment = PercentDecode(part);
    if (!segment) return false;
    segments.push_back(*std::move(segment));
    return true;
  });
  return whole ? std::optional(std::move(segments)) : std::nullopt;
}

std::optional<QueryFields> SplitQuery(std::string_view query) {
  QueryFields fields;
  if (query.empty()) return fields;
  const bool whole = ForEachPart(query, '&', [&](std::string_view part) {
    const std::size_t equals = std::min(part.find('='), part.size());
    auto name = PercentDecode(part.substr(0, equals));
    auto value = PercentDecode(part.substr(std::min(equals + 1, part.size())));
    if (!name || !value) return false;
    if (std::ranges::find(fields, *name, &QueryFields::value_type::first) != fields.end()) return false;
    fields.emplace_back(*std::move(name), *std::move(value));
    return true;
  });
  return whole ? std::optional(std::move(fields)) : std::nullopt;
}

}  // namespace turnlog
