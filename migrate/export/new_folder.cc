#include "migrate/export/new_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "base/try.h"
#include "base/unicode.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> Taken(const fs::path& path) {
  return std::unexpected(
      Error{ErrorCode::kConflict,
            fmt::format("{} exists, with other contents: move it away, or write to another folder", path.string())});
}

std::unexpected<Error> Failed(std::string_view what, const fs::path& path, const std::error_code& error) {
  const bool taken =
      error == std::errc::directory_not_empty || error == std::errc::file_exists || error == std::errc::not_a_directory;
  if (taken) return Taken(path);
  return std::unexpected(Error{ErrorCode::kIo, fmt::format("cannot {} {}: {}", what, path.string(), error.message())});
}

bool SameBytes(const fs::path& one, const fs::path& other) {
  std::ifstream first(one, std::ios::binary), second(other, std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  return first && second && std::equal(Bytes(first), Bytes(), Bytes(second), Bytes());
}

// Whether both folders have the same files, and nothing else.
bool SameFiles(const fs::path& one, const fs::path& other) {
  const auto names = PosixFileSystem().List(one), others = PosixFileSystem().List(other);
  return names && others && *names == *others && std::ranges::all_of(*names, [&](const std::string& name) {
           std::error_code error;
           return fs::is_regular_file(other / name, error) && SameBytes(one / name, other / name);
         });
}

}  // namespace

Result<OutputFile> OutputFile::Create(const fs::path& path) {
  return OutputFile(TURNLOG_TRY(PosixFileSystem().Open(path, FileSystem::Access::kCreateNew)));
}

Status OutputFile::FlushIfFull() {
  constexpr std::size_t kFull = std::size_t{1} << 20;
  return buffer_.size() < kFull ? Status() : Flush();
}

Status OutputFile::Finish() {
  TURNLOG_TRY(Flush());
  return file_->Sync();
}

Status OutputFile::Flush() {
  TURNLOG_TRY(file_->WriteAt(written_, buffer_));
  written_ += buffer_.size();
  buffer_.clear();
  return {};
}

Status WriteNewFile(const fs::path& path, std::string_view bytes) {
  OutputFile output = TURNLOG_TRY(OutputFile::Create(path));
  output.buffer() = bytes;
  return output.Finish();
}

Result<NewFile> NewFile::Create(const fs::path& path) {
  const fs::path temporary = path.parent_path() / fmt::format(".{}.turnlog-export", path.filename().string());
  TURNLOG_TRY(MakePrivateFolders(path.parent_path()));
  std::error_code ignored;
  fs::remove(temporary, ignored);  // of an export that was killed
  OutputFile output = TURNLOG_TRY(OutputFile::Create(temporary));
  return NewFile(path, temporary, std::move(output));
}

NewFile::~NewFile() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

Status NewFile::Finish() {
  TURNLOG_TRY(output_.Finish());
  std::error_code error;
  if (fs::exists(path_, error)) {
    if (SameBytes(temporary_, path_)) return {};
    return Taken(path_);
  }
  fs::rename(temporary_, path_, error);
  if (error) return Failed("write file", path_, error);
  temporary_.clear();
  return PosixFileSystem().SyncDirectory(path_.parent_path());
}

Result<NewFolder> NewFolder::Create(const fs::path& parent, std::string_view name) {
  const fs::path path = parent / fmt::format(".{}.turnlog-export", name);
  std::error_code error;
  fs::remove_all(path, error);  // of an export that was killed
  if (error) return Failed("create folder", path, error);
  TURNLOG_TRY(MakePrivateFolders(path));
  return NewFolder(path);
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Status NewFolder::Rename(const fs::path& to) {
  const fs::path parent = to.parent_path();
  if (parent != path_.parent_path() && TURNLOG_TRY(PosixFileSystem().KindOf(parent)) == FileKind::kLink) {
    return std::unexpected(Error{ErrorCode::kConflict, parent.string() + " is a symbolic link, not a folder"});
  }
  std::error_code error;
  TURNLOG_TRY(MakePrivateFolders(parent));
  fs::rename(path_, to, error);
  if (error && SameFiles(path_, to)) return {};
  if (error) return Failed("write folder", to, error);
  path_.clear();
  return PosixFileSystem().SyncDirectory(to.parent_path());
}

bool IsSafePath(const std::filesystem::path& path) {
  if (path.empty() || path.is_absolute() || !IsSafeText(path.string())) return false;
  return std::ranges::none_of(path,
                              [](const fs::path& part) { return part.empty() || part.string().starts_with('.'); });
}

std::string FolderName(std::string_view conversation) {
  constexpr std::size_t kMaxName = 200;
  std::string name;
  for (const char c : conversation) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || (c == '.' && !name.empty());
    name += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  if (name.size() > kMaxName) {
    name = fmt::format("{}-{:016x}", name.substr(0, kMaxName - 17), HashId(conversation, 0).low);
  }
  return name;
}

}  // namespace turnlog
