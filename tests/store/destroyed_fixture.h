// What tests of erasing and of redacting share: what is left on disk, and that the store answers the same afterwards
// however its index came to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/store/log_fixture.h"
#include "turnlog/maintenance.h"

namespace turnlog {

inline constexpr std::string_view kPlanted = "correct-horse-battery-staple";

class DestroyedTest : public LogTest {
 protected:
  // Names of the files of the store that hold the text.
  std::vector<std::string> FilesWith(std::string_view text) const;
  // Flips a bit of the first place in the log that holds the text.
  void FlipIn(std::string_view text) const;
  VerifyReport ExpectClean() const;
  void ExpectSameAnswersAfterwards();
};

}  // namespace turnlog
