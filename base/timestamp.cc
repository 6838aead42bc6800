// RFC 3339 by hand: libstdc++ 12 has the calendar of <chrono>, but neither its parser nor its formatter.
#include <array>
#include <chrono>
#include <span>
#include <string>

#include "turnlog/types.h"

namespace turnlog {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

// A cursor over the text; `ok` becomes false at the first syntax error. Every event has a time: nothing here is called
// for a character.
struct Scanner {
  const char* at;
  const char* end;
  bool ok = true;

  bool AtDigit() const { return at != end && *at >= '0' && *at <= '9'; }

  int TwoDigits() {
    if (end - at < 2) return ok = false, 0;
    const unsigned high = static_cast<unsigned>(at[0] - '0'), low = static_cast<unsigned>(at[1] - '0');
    ok &= high <= 9 && low <= 9;
    at += 2;
    return static_cast<int>(high * 10 + low);
  }

  template <char... kAnyOf>
  bool Take() {
    if (at == end || ((*at != kAnyOf) && ...)) return false;
    ++at;
    return true;
  }

  template <char... kAnyOf>
  void Expect() {
    ok &= Take<kAnyOf...>();
  }

  // Digits after the decimal point, as nanoseconds; finer digits are dropped.
  std::int64_t Fraction() {
    ok &= AtDigit();
    std::int64_t nanos = 0;
    int missing = 9;
    for (; AtDigit(); ++at) {
      if (missing > 0) nanos = nanos * 10 + (*at - '0'), --missing;
    }
    for (; missing > 0; --missing) nanos *= 10;
    return nanos;
  }

  std::int64_t OffsetSeconds() {
    if (Take<'Z', 'z'>()) return 0;
    const bool minus = at != end && *at == '-';
    Expect<'+', '-'>();
    const int hours = TwoDigits();
    Expect<':'>();
    const int minutes = TwoDigits();
    ok &= hours < 24 && minutes < 60;
    return (minus ? -1 : 1) * (hours * 3600 + minutes * 60);
  }
};

// Every line of an export has a time, and a general formatter takes several times as long.
template <std::size_t kCount>
char* WriteDigits(char* to, std::uint32_t number) {
  for (std::size_t at = kCount; at-- > 0; number /= 10) to[at] = static_cast<char>('0' + number % 10);
  return to + kCount;
}

std::unexpected<Error> Bad(const char* reason) { return std::unexpected(Error{ErrorCode::kInvalidArgument, reason}); }

}  // namespace

Result<Timestamp> Timestamp::ParseRfc3339(std::string_view text) {
  using namespace std::chrono;
  Scanner in{text.data(), text.data() + text.size()};
  const int century = in.TwoDigits();
  const int year_number = century * 100 + in.TwoDigits();
  in.Expect<'-'>();
  const int month_number = in.TwoDigits();
  in.Expect<'-'>();
  const int day_number = in.TwoDigits();
  in.Expect<'T', 't', ' '>();
  const int hour = in.TwoDigits();
  in.Expect<':'>();
  const int minute = in.TwoDigits();
  in.Expect<':'>();
  const int second = in.TwoDigits();
  const std::int64_t fraction = in.Take<'.'>() ? in.Fraction() : 0;
  const std::int64_t offset = in.OffsetSeconds();
  const year_month_day date{year{year_number}, month{static_cast<unsigned>(month_number)},
                            day{static_cast<unsigned>(day_number)}};
  if (!in.ok || in.at != in.end || !date.ok() || hour > 23 || minute > 59 || second > 60) {
    return Bad("not an RFC 3339 time such as 2026-01-31T09:30:00.5Z");
  }
  const std::int64_t seconds =
      sys_days{date}.time_since_epoch() / days{1} * 86'400 + hour * 3600 + minute * 60 + second - offset;
  // Before 1970 borrow one second, so that the multiplication of the earliest time does not overflow.
  const std::int64_t borrowed = seconds < 0 ? 1 : 0;
  Timestamp time;
  if (__builtin_mul_overflow(seconds + borrowed, kNanosPerSecond, &time.nanos) ||
      __builtin_add_overflow(time.nanos, fraction - borrowed * kNanosPerSecond, &time.nanos)) {
    return Bad("time outside the years 1677 to 2262, which 64 bits of nanoseconds cover");
  }
  return time;
}

std::string Timestamp::ToRfc3339() const {
  std::array<char, 30> text;
  return std::string(ToRfc3339(text));
}

std::string_view Timestamp::ToRfc3339(std::span<char, 30> text) const {
  using namespace std::chrono;
  // Split into days and the rest by hand: floor<days>() of the earliest times overflows in libstdc++ 12.
  constexpr std::int64_t kNanosPerDay = 86'400 * kNanosPerSecond;
  const std::int64_t day = nanos / kNanosPerDay - (nanos % kNanosPerDay < 0 ? 1 : 0);
  const year_month_day date{sys_days{days{day}}};
  const std::uint64_t rest = static_cast<std::uint64_t>(nanos) - static_cast<std::uint64_t>(day) * kNanosPerDay;
  const auto second = static_cast<std::uint32_t>(rest / kNanosPerSecond);
  char* to = text.data();
  const auto part = [&](char before, std::uint32_t number) { *to++ = before, to = WriteDigits<2>(to, number); };
  to = WriteDigits<4>(to, static_cast<std::uint32_t>(static_cast<int>(date.year())));
  part('-', static_cast<unsigned>(date.month()));
  part('-', static_cast<unsigned>(date.day()));
  part('T', second / 3600);
  part(':', second / 60 % 60);
  part(':', second % 60);
  if (const auto fraction = static_cast<std::uint32_t>(rest % kNanosPerSecond); fraction != 0) {
    *to++ = '.';
    to = WriteDigits<9>(to, fraction);
    while (to[-1] == '0') --to;
  }
  *to++ = 'Z';
  return {text.data(), to};
}

}  // namespace turnlog
