#include <gtest/gtest.h>

#include "migrate/jp/time.h"

namespace turnlog::jp_time_test {
namespace {

// As jp writes it; "-" if it cannot be read.
std::string Again(std::string_view text) {
  const auto time = ParseJpTime(text);
  return time ? FormatJpTime(*time) : "-";
}

TEST(JpTime, ComesBackAsJpWritesIt) {
  for (const char* text : {"2026-03-18 13:19:06.841464", "2026-03-05 19:31:45.7", "2025-01-01 00:00:00.0",
                           "2025-12-31 23:59:59.999999999", "1969-12-31 23:59:59.5"}) {
    EXPECT_EQ(Again(text), text);
  }
}

TEST(JpTime, ReadsWhateverJpReads) {
  EXPECT_EQ(Again("2025-01-01 00:00:00"), "2025-01-01 00:00:00.0");
  EXPECT_EQ(Again("2025-01-01 00:00:00.500"), "2025-01-01 00:00:00.5");
  EXPECT_EQ(Again("2025-01-01 00:00:00.1234567891"), "2025-01-01 00:00:00.123456789");
  EXPECT_EQ(Again("2025-1-2 3:4:5"), "2025-01-02 03:04:05.0");
  EXPECT_EQ(Again("2025-01-01   00:00:00"), "2025-01-01 00:00:00.0");
  EXPECT_EQ(Again("2025-01-0100:00:00"), "2025-01-01 00:00:00.0");
  EXPECT_EQ(Again("2025-01-01T00:00:00+02:00"), "2024-12-31 22:00:00.0");
  EXPECT_EQ(Again("2025-01-01T00:00:00.25Z"), "2025-01-01 00:00:00.25");
}

TEST(JpTime, RefusesEverythingElse) {
  for (const char* text : {"", "yesterday", "2025-01-01", "2025-13-01 00:00:00", "2025-02-30 00:00:00",
                           "2025-01-01 24:00:00", "2025-01-01 00:00:00.", "2025-01-01 00:00:00.5x",
                           "2025-01-01 00:00:00 UTC", "2025-01-01 00:00", "1500-01-01 00:00:00", "-"}) {
    EXPECT_EQ(Again(text), "-") << text;
  }
}

}  // namespace
}  // namespace turnlog::jp_time_test
