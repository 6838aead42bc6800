// Writes a mended session: a copy, or in place of the file.
#pragma once

#include <sys/stat.h>

#include <filesystem>

#include "doctor/copy_paths.h"
#include "doctor/mended_session.h"

namespace turnlog {

// kInvalidArgument: the copy would replace the source, what is no regular file, or a file that doctor has not made.
Status CheckCopy(const std::filesystem::path& source, const std::filesystem::path& copy);

// `seen`: of the file before it was examined.
Status WriteMended(MendedSession& mended, const struct stat& seen, CopyPaths& copies, const DoctorOptions& options,
                   SessionReport& report);

// Call it when the session was written, or was to be: secrets are only replaced in what was written.
void NoteUnwritten(const DoctorOptions& options, SessionReport& report);

}  // namespace turnlog
