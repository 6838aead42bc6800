#include "base/errno_text.h"

#include <array>
#include <cstring>

namespace turnlog {

std::string ErrnoText(int error) {
  std::array<char, 128> buffer{};
  return ::strerror_r(error, buffer.data(), buffer.size());
}

}  // namespace turnlog
