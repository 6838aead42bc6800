#include "store/engine/storage_walk.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "base/errno_text.h"
#include "base/secret_string.h"
#include "base/try.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{4} << 20;
constexpr int kLooks = 5;  // attempts, if files appear or grow meanwhile

// Which file it is and how long. Another file may get the name of one that was read: an editor's copy, or a file that
// was not read yet.
struct FileState {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  bool operator==(const FileState&) const = default;
};

class Walk {
 public:
  Walk(const fs::path& root, FileSystem& files, const StorageScan& scan, StorageVisitor& visitor)
      : root_(root), files_(files), scan_(scan), visitor_(visitor) {}

  void Run() {
    for (int look = 0; look < kLooks; ++look) {
      const auto found = FindNew();
      if (found.empty()) return ReportProblems();
      for (const auto& [path, state] : found) Read(path, state);
    }
    for (const auto& [path, state] : FindNew())
      problems_.emplace(path, "files keep appearing or changing while others are read");
    ReportProblems();
  }

 private:
  std::string NameOf(const fs::path& path) const {
    return path == root_ ? "." : path.lexically_relative(root_).generic_string();
  }

  // Returns the files not read yet, and those that are not what was read, and reports everything else as a problem.
  // Problems of an earlier scan may be gone.
  std::map<fs::path, FileState> FindNew() {
    found_.clear();
    std::erase_if(problems_, [&](const auto& problem) { return !read_.contains(problem.first); });
    LookInto(root_);
    for (const auto& [path, state] : found_) total_ += static_cast<std::uint64_t>(state.size);
    return found_;
  }

  void LookInto(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> children;
    for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      children.push_back(entry->path());
    }
    if (error && (folder == root_ || !IsGone(folder))) problems_[folder] = error.message();
    std::ranges::sort(children);
    for (const fs::path& child : children) LookAt(child);
  }

  void LookAt(const fs::path& path) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0) {
      if (errno != ENOENT) problems_[path] = ErrnoText(errno);
      return;
    }
    if (S_ISDIR(status.st_mode)) return LookInto(path);
    if (S_ISREG(status.st_mode)) return LookAtFile(path, {status.st_dev, status.st_ino, status.st_size});
    if (S_ISSOCK(status.st_mode)) return;  // of a running service; it holds no bytes
    problems_[path] =
        S_ISLNK(status.st_mode) ? "a symbolic link, which is not followed" : "neither a regular file nor a folder";
  }

  void LookAtFile(const fs::path& path, const FileState& state) {
    const auto known = read_.find(path);
    if (known != read_.end() && (known->second == state || problems_.contains(path))) return;
    if (known != read_.end()) read_.erase(known);
    found_.emplace(path, state);
  }

  void Read(const fs::path& path, const FileState& state) {
    const std::uint64_t before = done_;
    const Status status = ReadPieces(path, before);
    if (!status && IsGone(path)) return;
    read_.emplace(path, state);
    problems_.erase(path);
    if (!status) problems_[path] = status.error().message;
  }

  Status ReadPieces(const fs::path& path, std::uint64_t before) {
    const std::string name = NameOf(path);
    const auto file = TURNLOG_TRY(files_.Open(path, FileSystem::Access::kRead));
    const std::span<char> room = buffer_.Resize(scan_.overlap + std::max(kPiece, scan_.overlap));
    std::uint64_t size = TURNLOG_TRY(file->Size());
    int looks = 0;
    for (std::uint64_t begin = 0;;) {
      const std::size_t got = TURNLOG_TRY(file->ReadAt(begin, room));
      const std::uint64_t end = begin + got;
      const bool last = got < room.size();
      visitor_.OnPiece({.object = name, .offset = begin, .bytes = {room.data(), got}, .last = last});
      done_ = before + end;
      if (scan_.progress) scan_.progress(std::min(done_, total_), total_);
      if (last) return {};
      if (end > size) {
        size = TURNLOG_TRY(file->Size());
        if (++looks == kLooks) return std::unexpected(Error{ErrorCode::kIo, "the file grows while it is read"});
      }
      begin = end - scan_.overlap;
    }
  }

  static bool IsGone(const fs::path& path) {
    std::error_code error;
    return fs::symlink_status(path, error).type() == fs::file_type::not_found;
  }

  void ReportProblems() const {
    for (const auto& [path, reason] : problems_) visitor_.OnUnreadable(NameOf(path), reason);
  }

  const fs::path root_;
  FileSystem& files_;
  const StorageScan& scan_;
  StorageVisitor& visitor_;
  std::map<fs::path, FileState> found_;  // by the last scan
  std::map<fs::path, FileState> read_;   // as it was when it was found
  std::map<fs::path, std::string> problems_;
  std::uint64_t done_ = 0, total_ = 0;
  SecretString buffer_;
};

}  // namespace

void VisitFiles(const fs::path& root, FileSystem& files, const StorageScan& scan, StorageVisitor& visitor) {
  Walk(root, files, scan, visitor).Run();
}

}  // namespace turnlog
