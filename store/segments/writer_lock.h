// One writer at a time. The file LOCK is locked by the operating system, which releases it when the holder dies; its
// contents only serve the error message of the next writer.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "base/file_system.h"

namespace turnlog {

// kBusy names the holder: process, program, machine, since when.
Result<std::unique_ptr<FileLock>> AcquireWriterLock(FileSystem& files, const std::filesystem::path& path,
                                                    std::string_view holder);

}  // namespace turnlog
