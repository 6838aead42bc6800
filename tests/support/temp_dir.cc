#include "tests/support/temp_dir.h"

#include <cstdlib>
#include <string>
#include <system_error>

namespace turnlog {

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "turnlog-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void KeepTemporaryFilesInMemory() {
  std::error_code ignored;
  if (std::filesystem::is_directory("/dev/shm", ignored)) setenv("TMPDIR", "/dev/shm", 0);
}

}  // namespace turnlog
