// Shared by tests of erasing and redacting: what is left on disk, and that the store answers the same afterwards, with
// any index.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/destroying.h"
#include "turnlog/maintenance.h"

namespace turnlog {

class DestroyedFilesTest : public Destroying<LogTest> {
 protected:
  // Names of the files of the store that hold the text.
  std::vector<std::string> FilesWith(std::string_view text) const;
  // Flips a bit of the first occurrence of the text in the log.
  void FlipIn(std::string_view text) const;
  VerifyReport ExpectClean() const;
  void ExpectSameAnswersAfterwards();
};

}  // namespace turnlog
