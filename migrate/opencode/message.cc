#include "migrate/opencode/message.h"

#include <charconv>

namespace turnlog {

OpencodeMessage ReadOpencodeMessage(const JsonObject& info) {
  OpencodeMessage message;
  message.id = info.String("id").value_or("");
  const std::string role = info.String("role").value_or("");
  message.by_user = role == "user";
  message.summary = info.IsTrue("summary");
  const bool is_written = !message.by_user && !role.empty();
  message.complete = !is_written || !info.Object("time")["completed"].empty() || info["error"].starts_with('{');
  message.time = ReadMilliseconds(info.Object("time")["created"]);
  return message;
}

bool IsUnfinished(const JsonObject& part) {
  const std::string type = part.String("type").value_or("");
  if (type == "tool") return part.Object("state").String("status") == "pending";
  if (type != "text" && type != "reasoning") return false;
  const JsonObject time = part.Object("time");
  return !time["start"].empty() && time["end"].empty();
}

std::optional<Timestamp> ReadMilliseconds(std::string_view number) {
  constexpr std::int64_t kNanos = 1'000'000, kMax = INT64_MAX / kNanos;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool valid = error == std::errc() && end == number.data() + number.size() && value >= 0 && value <= kMax;
  return valid ? std::optional(Timestamp{value * kNanos}) : std::nullopt;
}

}  // namespace turnlog
