// Regular expressions as the rules for secrets use them.
#pragma once

#include <re2/re2.h>

namespace turnlog {

// Bytes are letters; nothing is printed about an expression that is wrong.
inline RE2::Options SecretRegexOptions() {
  RE2::Options options(RE2::Latin1);
  options.set_log_errors(false);
  options.set_max_mem(std::int64_t{32} << 20);
  return options;
}

}  // namespace turnlog
