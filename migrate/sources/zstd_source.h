// Reads files that are compressed with Zstandard.
#pragma once

#include <filesystem>
#include <memory>

#include "migrate/sources/byte_source.h"

namespace turnlog {

// `bytes` decompressed if they are compressed, otherwise as they are. Decompresses as far as is read, into an unnamed
// private file, because sources are read twice. What follows the compressed frames is taken as it is: programs have
// appended plain text to compressed files.
Result<std::unique_ptr<ByteSource>> Decompressed(std::unique_ptr<ByteSource> bytes, const std::filesystem::path& path);

}  // namespace turnlog
