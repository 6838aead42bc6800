// What must hold for any bytes as a database of a format whose records are rows.
#pragma once

#include <string>
#include <variant>

#include "migrate/format.h"
#include "tests/fuzz/fuzz_source.h"

namespace turnlog {

// Every event is valid, and reading again gives the same.
inline void FuzzDatabase(const Format& format, const std::string& bytes) {
  Source source = MemorySource("fuzz.db", {{"fuzz.db", bytes}});
  const auto first = format.import.read(source);
  const auto second = format.import.read(source);
  Require(ReadItems(*first, SIZE_MAX) == ReadItems(*second, SIZE_MAX));
}

}  // namespace turnlog
