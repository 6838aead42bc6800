// Text that may go into a prompt or onto a terminal, wherever it came from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace turnlog {

inline constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

// One line: white space in a row is one blank; control characters, what turns the direction of writing, and what cannot
// be seen are left out. At most `limit` characters (code points), cut between characters as people see them, "..." at
// the end if anything was. `limit` is 4 or more. Text that is not UTF-8 loses the bytes that are not.
std::string SafeLine(std::string_view text, std::size_t limit = kNoLimit);

}  // namespace turnlog
