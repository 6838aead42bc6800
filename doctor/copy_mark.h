// Which copies doctor has made itself: it replaces these, and no other file. The mark is an extended attribute with the
// file's number, size and time, so that a copy that was changed or copied since has none; nor has any file of a file
// system without such attributes.
#pragma once

#include <filesystem>

namespace turnlog {

// Has no effect where it is not possible: then the copy is not replaced later.
void MarkCopy(const std::filesystem::path& copy);
bool HasCopyMark(const std::filesystem::path& copy);

}  // namespace turnlog
