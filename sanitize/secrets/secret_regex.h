// Options of the regular expressions in secret rules.
#pragma once

#include <re2/re2.h>

namespace turnlog {

// Matches bytes; RE2 does not log invalid expressions.
inline RE2::Options SecretRegexOptions() {
  RE2::Options options(RE2::Latin1);
  options.set_log_errors(false);
  options.set_max_mem(std::int64_t{32} << 20);
  return options;
}

}  // namespace turnlog
