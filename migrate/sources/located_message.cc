#include "migrate/sources/located_message.h"

#include <charconv>
#include <system_error>

namespace turnlog {

LocatedMessage SplitLocation(std::string_view message) {
  constexpr std::string_view kByte = "byte ";
  LocatedMessage located{0, message};
  if (!message.starts_with(kByte)) return located;
  const char* const end = message.data() + message.size();
  const auto [after, error] = std::from_chars(message.data() + kByte.size(), end, located.byte);
  const std::string_view rest(after, static_cast<std::size_t>(end - after));
  if (error == std::errc() && rest.starts_with(": ")) located.text = rest.substr(2);
  return located;
}

}  // namespace turnlog
