#include "migrate/records/real_number.h"

#include <fmt/format.h>

#include <cmath>

namespace turnlog {

void AppendRealNumber(double number, std::string& out) {
  if (std::isfinite(number)) {
    out += fmt::format("{:#}", number);
  } else {
    const char* const name = std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
    out += fmt::format(R"({{"$number":"{}"}})", name);
  }
}

}  // namespace turnlog
