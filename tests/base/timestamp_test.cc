#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "turnlog/types.h"

namespace turnlog::timestamp_test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct Reading {
  std::string_view text;
  std::int64_t nanos;
};

TEST(Timestamp, ReadsRfc3339) {
  constexpr Reading kReadings[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01t00:00:00z", 0},
      {"1970-01-01 00:00:01Z", kSecond},
      {"1969-12-31T23:59:59.999999999Z", -1},
      {"1970-01-01T00:00:00.5Z", kSecond / 2},
      {"1970-01-01T00:00:00.000000001Z", 1},
      {"1970-01-01T00:00:00.123456789Z", 123'456'789},
      {"1970-01-01T00:00:00.1234567899999Z", 123'456'789},
      {"1970-01-01T01:00:00+01:00", 0},
      {"1969-12-31T18:30:00-05:30", 0},
      {"1970-01-01T00:00:00-00:00", 0},
      {"1970-01-01T23:59:00+23:59", 0},
      {"2000-02-29T00:00:00Z", 11'016 * kDay},
      {"2024-02-29T12:00:00.25+02:00", 19'782 * kDay + 10 * 3600 * kSecond + kSecond / 4},
      {"2016-12-31T23:59:60Z", 17'167 * kDay},
      {"2016-12-31T23:59:60.5Z", 17'167 * kDay + kSecond / 2},
      {"2262-04-11T23:47:16.854775807Z", kMax},
      {"1677-09-21T00:12:43.145224192Z", kMin},
  };
  for (const Reading& reading : kReadings) {
    const auto time = Timestamp::ParseRfc3339(reading.text);
    ASSERT_TRUE(time) << reading.text << ": " << time.error().message;
    EXPECT_EQ(time->nanos, reading.nanos) << reading.text;
  }
}

TEST(Timestamp, RefusesEverythingElse) {
  constexpr std::string_view kBad[] = {
      "",
      "now",
      "1970-01-01",
      "1970-01-01T00:00:00",
      "1970-01-01T00:00Z",
      "1970-1-01T00:00:00Z",
      "1970-01-01T00:00:00.Z",
      "1970-01-01T00:00:00,5Z",
      "1970-01-01T00:00:00Z ",
      " 1970-01-01T00:00:00Z",
      "1970-01-01T00:00:00ZZ",
      "1970-01-01X00:00:00Z",
      "1970/01/01T00:00:00Z",
      "+1970-01-01T00:00:00Z",
      "19700101T000000Z",
      "1970-00-01T00:00:00Z",
      "1970-13-01T00:00:00Z",
      "1970-01-00T00:00:00Z",
      "1970-01-32T00:00:00Z",
      "2023-02-29T00:00:00Z",
      "1900-02-29T00:00:00Z",
      "1970-01-01T24:00:00Z",
      "1970-01-01T00:60:00Z",
      "1970-01-01T00:00:61Z",
      "1970-01-01T00:00:-1Z",
      "1970-01-01T00:00:00+1:00",
      "1970-01-01T00:00:00+01",
      "1970-01-01T00:00:00+0100",
      "1970-01-01T00:00:00+24:00",
      "1970-01-01T00:00:00+01:60",
      "1970-01-01T00:00:00*01:00",
      "\xD9\xA1\xD9\xA9-01-01T00:00:00Z",
  };
  for (const std::string_view text : kBad) {
    const auto time = Timestamp::ParseRfc3339(text);
    ASSERT_FALSE(time) << text;
    EXPECT_EQ(time.error().code, ErrorCode::kInvalidArgument) << text;
  }
}

TEST(Timestamp, RefusesTimesThatNanosecondsCannotCount) {
  for (const std::string_view text : {"2262-04-11T23:47:16.854775808Z", "2262-04-11T23:47:17Z", "2263-01-01T00:00:00Z",
                                      "9999-12-31T23:59:60Z", "1677-09-21T00:12:43.145224191Z", "1677-09-21T00:12:42Z",
                                      "1600-01-01T00:00:00Z", "0000-01-01T00:00:00+23:59"}) {
    const auto time = Timestamp::ParseRfc3339(text);
    ASSERT_FALSE(time) << text;
    EXPECT_NE(time.error().message.find("1677 to 2262"), std::string::npos) << time.error().message;
  }
}

TEST(Timestamp, WritesUtcWithAsManyDigitsAsNeeded) {
  constexpr Reading kReadings[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01T00:00:00.5Z", kSecond / 2},
      {"1970-01-01T00:00:00.000000001Z", 1},
      {"1970-01-01T00:00:00.00000001Z", 10},
      {"1969-12-31T23:59:59.999999999Z", -1},
      {"1969-12-31T00:00:00Z", -kDay},
      {"2000-02-29T23:59:59.1Z", 11'016 * kDay + 86'399 * kSecond + kSecond / 10},
      {"2262-04-11T23:47:16.854775807Z", kMax},
      {"1677-09-21T00:12:43.145224192Z", kMin},
  };
  for (const Reading& reading : kReadings) EXPECT_EQ(Timestamp{reading.nanos}.ToRfc3339(), reading.text);
}

TEST(Timestamp, TextComesBackAsTheSameTime) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const Timestamp time{static_cast<std::int64_t>(random() >> (i % 64)) * (i % 2 == 0 ? 1 : -1)};
    const auto back = Timestamp::ParseRfc3339(time.ToRfc3339());
    ASSERT_TRUE(back) << time.ToRfc3339();
    ASSERT_EQ(*back, time);
  }
}

}  // namespace
}  // namespace turnlog::timestamp_test
