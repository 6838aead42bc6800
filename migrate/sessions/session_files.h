// Where tools keep the files of their sessions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "turnlog/migrate/resume.h"
#include "turnlog/types.h"

namespace turnlog {

// The file for a new session that began at this time. `text`: what it has, on which the extension depends.
std::filesystem::path SessionFile(const ResumeTarget& target, const std::string& session, Timestamp begin,
                                  std::string_view text);

// A file that the tool has for a session of this id, wherever it looks for it. `file`: the SessionFile.
std::optional<std::filesystem::path> FindSessionFile(const ResumeTarget& target, const std::string& session,
                                                     const std::filesystem::path& file);

// What to type in a shell to go on with it.
std::string ResumeCommand(const ResumeTarget& target, const std::string& session, const std::filesystem::path& file);

}  // namespace turnlog
