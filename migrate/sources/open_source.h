// Opens a file to import.
#pragma once

#include <filesystem>
#include <memory>

#include "migrate/sources/byte_source.h"

namespace turnlog {

// `named`: by the user. Then it may be a link, and a pipe is copied into an unnamed private file. Files found in
// folders must be regular; opening them never blocks.
Result<std::unique_ptr<ByteSource>> OpenSource(const std::filesystem::path& path, bool named);

}  // namespace turnlog
