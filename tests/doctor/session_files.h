// Files of sessions for tests.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/doctor/doctor.h"

namespace turnlog {

std::filesystem::path DamagedSessions();

std::string TextOf(const std::filesystem::path& file);
void WriteText(const std::filesystem::path& file, std::string_view text);

// A session of Claude Code: a prompt, a call without a result, another prompt.
std::string OrphanedCall();

// Examines one file.
SessionReport Examine(const std::filesystem::path& file, DoctorOptions options);

}  // namespace turnlog
