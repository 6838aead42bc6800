// The manual page logctl(1), in roff with the `man` macros.
#pragma once

#include <string>
#include <string_view>

#include "logctl/command_tree.h"

namespace turnlog {

std::string ManualPage(const ProgramInfo& program, std::string_view version);

}  // namespace turnlog
