#include "migrate/records/openai_response.h"

#include <charconv>
#include <cstdint>

#include "schema/json/json_fields.h"

namespace turnlog {
namespace {

// Seconds since 1970, possibly with a fraction.
std::optional<Timestamp> ReadSeconds(std::string_view number) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), seconds);
  if (error != std::errc() || seconds <= 0 || seconds > INT64_MAX / kSecond) return std::nullopt;
  return Timestamp{seconds * kSecond};
}

}  // namespace

std::optional<Timestamp> TimeOfResponse(std::string_view document) {
  const auto object = FindJsonString(document, "object");
  if (object != "response" && object != "chat.completion") return std::nullopt;
  const auto created = FindJsonField(document, object == "response" ? "created_at" : "created");
  return created ? ReadSeconds(created->value) : std::nullopt;
}

}  // namespace turnlog
