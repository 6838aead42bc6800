#include "tests/support/temp_dir.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>

namespace turnlog {
namespace {

// Tests sync thousands of times and do not need a real disk. Does nothing if TMPDIR is set.
void KeepTemporaryFilesInMemory() {
  static const bool fits = [] {  // in a container it may hold only 64 MB
    std::error_code error;
    const auto space = std::filesystem::space("/dev/shm", error);
    return !error && space.available >= std::uintmax_t{2} << 30;
  }();
  if (fits) setenv("TMPDIR", "/dev/shm", 0);
}

}  // namespace

TempDir::TempDir() {
  KeepTemporaryFilesInMemory();
  std::string name = (std::filesystem::temp_directory_path() / "turnlog-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace turnlog
