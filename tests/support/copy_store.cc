#include "tests/support/copy_store.h"

#include <map>
#include <string>
#include <system_error>
#include <utility>

namespace turnlog {
namespace {

// A folder's files with their sizes and times: RocksDB replaces and removes files of the index at any time.
std::map<std::string, std::pair<std::uintmax_t, std::filesystem::file_time_type>> Listing(
    const std::filesystem::path& folder) {
  std::map<std::string, std::pair<std::uintmax_t, std::filesystem::file_time_type>> files;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(folder, gone)) {
    files[entry.path().filename()] = {entry.file_size(gone), entry.last_write_time(gone)};
  }
  return files;
}

// Files may go while it copies; false then.
bool CopyOnce(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::remove_all(to);
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, error);
  return !error;
}

// A consistent copy: copied again until nothing has changed meanwhile.
void CopyIndex(const std::filesystem::path& from, const std::filesystem::path& to) {
  for (auto before = Listing(from); !CopyOnce(from, to) || Listing(from) != before;) before = Listing(from);
}

}  // namespace

void CopyStore(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::filesystem::create_directories(to);
  // The index first: the copy of the log must reach at least as far as the index.
  CopyIndex(from / "index", to / "index");
  while (!CopyOnce(from / "log", to / "log")) {
  }
  std::filesystem::copy(from / "STORE", to / "STORE");
}

}  // namespace turnlog
