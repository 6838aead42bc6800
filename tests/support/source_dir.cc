#include "tests/support/source_dir.h"

namespace turnlog {

std::filesystem::path SourceDir() { return TURNLOG_SOURCE_DIR; }

}  // namespace turnlog
