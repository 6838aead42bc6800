// The source folder with golden files, documents and samples.
#pragma once

#include <filesystem>

namespace turnlog {

std::filesystem::path SourceDir();

}  // namespace turnlog
