// Paths of which two are equal if they name one file. `..` after a link leads elsewhere than the text of a path says.
#pragma once

#include <filesystem>

namespace turnlog {

// Without `..`, `.` and a final slash. It stays relative, and has the links that the user has named, unless there is a
// `..` in it.
std::filesystem::path NormalPath(const std::filesystem::path& path);

// Absolute, and without links but for its last name, as far as its folders exist.
std::filesystem::path RealPath(const std::filesystem::path& path);

}  // namespace turnlog
