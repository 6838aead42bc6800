// Visits all bytes of all files below a folder.
#pragma once

#include <filesystem>

#include "base/file_system.h"
#include "turnlog/storage_visitor.h"

namespace turnlog {

// Visits every regular file below `root`, including files created meanwhile. Reports as unreadable: anything but
// regular files and folders (links are not followed, they may leave the store), files that the disk cannot read, and
// files that grow faster than they can be read. Skips files removed meanwhile.
void VisitFiles(const std::filesystem::path& root, FileSystem& files, const StorageScan& scan, StorageVisitor& visitor);

}  // namespace turnlog
