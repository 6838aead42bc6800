#include "inquiry/json_format.h"

#include <arpa/inet.h>
#include <re2/re2.h>

#include <array>
#include <chrono>
#include <string>
#include <utility>

namespace turnlog {
namespace {

bool Matches(std::string_view text, const RE2& pattern) {
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

bool IsDate(std::string_view text) {
  static const RE2 pattern(R"((\d{4})-(\d{2})-(\d{2}))");
  int year = 0;
  unsigned month = 0, day = 0;
  if (!RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern, &year, &month, &day)) return false;
  return std::chrono::year_month_day(std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)).ok();
}

// A leap second is the last one of a day in UTC.
bool IsTime(std::string_view text) {
  static const RE2 pattern(R"((\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2})))");
  int hour = 0, minute = 0, second = 0, zone_hour = 0, zone_minute = 0;
  std::string sign, hours, minutes;
  if (!RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern, &hour, &minute, &second, &sign, &hours,
                      &minutes)) {
    return false;
  }
  if (!sign.empty()) zone_hour = std::stoi(hours), zone_minute = std::stoi(minutes);
  if (hour > 23 || minute > 59 || second > 60 || zone_hour > 23 || zone_minute > 59) return false;
  constexpr int kDay = 24 * 60;
  const int offset = (sign == "-" ? -1 : 1) * (zone_hour * 60 + zone_minute);
  return second < 60 || (hour * 60 + minute - offset + kDay) % kDay == kDay - 1;
}

bool IsDateTime(std::string_view text) {
  if (text.size() < 11 || (text[10] != 'T' && text[10] != 't')) return false;
  return IsDate(text.substr(0, 10)) && IsTime(text.substr(11));
}

bool IsEmail(std::string_view text) {
  static const RE2 pattern(
      R"((?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*|"(?:[ !#-\[\]-~]|\\[ -~])*")@)"
      R"((?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9A-Fa-f:.IPv]+\]))");
  return Matches(text, pattern);
}

template <int kFamily>
bool IsAddress(std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  const std::string copy(text);
  return copy.size() == text.size() && ::inet_pton(kFamily, copy.c_str(), address.data()) == 1;
}

bool IsUri(std::string_view text) {
  static const RE2 pattern(
      R"([A-Za-z][A-Za-z0-9+.-]*:(?://(?:[\w.~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@?(?:\[[0-9A-Fa-f:.]+\]|)"
      R"((?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::\d*)?)?(?:/|(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*))"
      R"((?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?(?:#(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?)");
  return Matches(text, pattern);
}

bool IsUuid(std::string_view text) {
  static const RE2 pattern("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}");
  return Matches(text, pattern);
}

constexpr std::array<std::pair<std::string_view, bool (*)(std::string_view)>, 8> kFormats{{
    {"date-time", IsDateTime},
    {"date", IsDate},
    {"time", IsTime},
    {"email", IsEmail},
    {"ipv4", IsAddress<AF_INET>},
    {"ipv6", IsAddress<AF_INET6>},
    {"uri", IsUri},
    {"uuid", IsUuid},
}};

}  // namespace

std::optional<bool> HasFormat(std::string_view format, std::string_view text) {
  for (const auto& [name, has] : kFormats) {
    if (name == format) return has(text);
  }
  return std::nullopt;
}

}  // namespace turnlog
