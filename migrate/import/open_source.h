// Opens what is to be imported.
#pragma once

#include <filesystem>
#include <memory>

#include "migrate/import/byte_source.h"

namespace turnlog {

// `named`: by the user. Then it may be a link, and a pipe is read to its end into a private file without a name. What
// was found in a folder must be a regular file, and opening it never waits.
Result<std::unique_ptr<ByteSource>> OpenSource(const std::filesystem::path& path, bool named);

}  // namespace turnlog
