// Where the project's own files are: golden files, documents, samples.
#pragma once

#include <filesystem>

namespace turnlog {

std::filesystem::path SourceDir();

}  // namespace turnlog
