#include "sanitize/secrets/scanned_files.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

namespace turnlog {
namespace {

namespace fs = std::filesystem;

class Lister {
 public:
  explicit Lister(std::vector<SecretScanProblem>& problems) : problems_(problems) {}

  void Add(const fs::path& path, bool named) {
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (status.type() == fs::file_type::regular) return AddFile(path);
    if (status.type() == fs::file_type::directory) return AddFolder(path);
    if (error) return Problem(path, error.message());
    if (named)
      Problem(path, fs::is_symlink(status) ? "a symbolic link, which is not followed" : "not a file or folder");
  }

  std::vector<ScannedFile> Take() { return std::move(files_); }

 private:
  void AddFile(const fs::path& path) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (error) return Problem(path, error.message());
    files_.push_back({path, size});
  }

  void AddFolder(const fs::path& path) {
    std::error_code error;
    std::vector<fs::path> children;
    for (fs::directory_iterator entry(path, error); !error && entry != fs::directory_iterator(); entry.increment(error))
      children.push_back(entry->path());
    if (error) Problem(path, error.message());
    std::ranges::sort(children);
    for (const fs::path& child : children) Add(child, false);
  }

  void Problem(const fs::path& path, std::string reason) { problems_.push_back({path.string(), std::move(reason)}); }

  std::vector<SecretScanProblem>& problems_;
  std::vector<ScannedFile> files_;
};

}  // namespace

std::vector<ScannedFile> ListFiles(std::span<const fs::path> paths, std::vector<SecretScanProblem>& problems) {
  Lister lister(problems);
  for (const fs::path& path : paths) lister.Add(path, true);
  return lister.Take();
}

}  // namespace turnlog
