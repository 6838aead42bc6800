// Completion scripts for shells.
#pragma once

#include <string>

#include "logctl/command_tree.h"

namespace turnlog {

std::string BashCompletion(const ProgramInfo& program);
std::string ZshCompletion(const ProgramInfo& program);
std::string FishCompletion(const ProgramInfo& program);

}  // namespace turnlog
