#include "store/engine/storage_walk.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "base/secret_string.h"
#include "base/try.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{4} << 20;
constexpr int kLooks = 5;  // attempts, if files appear or grow meanwhile

class Walk {
 public:
  Walk(const fs::path& root, FileSystem& files, const StorageScan& scan, StorageVisitor& visitor)
      : root_(root), files_(files), scan_(scan), visitor_(visitor) {}

  void Run() {
    for (int look = 0; look < kLooks; ++look) {
      const std::vector<fs::path> found = FindNew();
      if (found.empty()) return ReportProblems();
      for (const fs::path& path : found) Read(path);
    }
    for (const fs::path& path : FindNew()) problems_[path] = "files keep appearing while others are read";
    ReportProblems();
  }

 private:
  std::string NameOf(const fs::path& path) const {
    return path == root_ ? "." : path.lexically_relative(root_).generic_string();
  }

  // Returns the files not read yet and reports everything else as a problem. Problems of an earlier scan may be gone.
  std::vector<fs::path> FindNew() {
    found_.clear();
    std::erase_if(problems_, [&](const auto& problem) { return !read_.contains(problem.first); });
    LookInto(root_);
    for (const fs::path& path : found_) total_ += SizeOf(path);
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
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    switch (status.type()) {
      case fs::file_type::regular:
        if (!read_.contains(path)) found_.push_back(path);
        return;
      case fs::file_type::directory:
        return LookInto(path);
      case fs::file_type::not_found:
        return;
      case fs::file_type::symlink:
        problems_[path] = "a symbolic link, which is not followed";
        return;
      default:
        problems_[path] = error ? error.message() : "neither a regular file nor a folder";
    }
  }

  void Read(const fs::path& path) {
    const std::uint64_t before = done_;
    const Status status = ReadPieces(path, before);
    if (!status && IsGone(path)) return;
    read_.insert(path);
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

  static std::uint64_t SizeOf(const fs::path& path) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    return error ? 0 : size;
  }

  void ReportProblems() const {
    for (const auto& [path, reason] : problems_) visitor_.OnUnreadable(NameOf(path), reason);
  }

  const fs::path root_;
  FileSystem& files_;
  const StorageScan& scan_;
  StorageVisitor& visitor_;
  std::vector<fs::path> found_;  // by the last scan
  std::set<fs::path> read_;
  std::map<fs::path, std::string> problems_;
  std::uint64_t done_ = 0, total_ = 0;
  SecretString buffer_;
};

}  // namespace

void VisitFiles(const fs::path& root, FileSystem& files, const StorageScan& scan, StorageVisitor& visitor) {
  Walk(root, files, scan, visitor).Run();
}

}  // namespace turnlog
