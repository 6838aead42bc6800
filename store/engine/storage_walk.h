// All bytes of all files below a folder, for a search that must not miss any.
#pragma once

#include <filesystem>

#include "base/file_system.h"
#include "turnlog/storage_visitor.h"

namespace turnlog {

// Shows every regular file below `root`, also those that appear meanwhile. What cannot be shown to its end is named as
// unreadable: what is no regular file or folder (a link is not followed: what it leads to may be anybody's), what the
// disk does not give, what grows faster than it can be read. A file that was removed meanwhile is passed over.
void VisitFiles(const std::filesystem::path& root, FileSystem& files, const StorageScan& scan, StorageVisitor& visitor);

}  // namespace turnlog
