// Files and folders created by an exporter: complete and durable, or absent.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_system.h"

namespace turnlog {

// A file that is written sequentially.
class OutputFile {
 public:
  static Result<OutputFile> Create(const std::filesystem::path& path);

  std::string& buffer() { return buffer_; }
  Status FlushIfFull();
  Status Finish();

 private:
  explicit OutputFile(std::unique_ptr<File> file) : file_(std::move(file)) {}
  Status Flush();

  std::unique_ptr<File> file_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

Status WriteNewFile(const std::filesystem::path& path, std::string_view bytes);

// A file under a temporary name, with the folders that it needs; removed unless renamed.
class NewFile {
 public:
  static Result<NewFile> Create(const std::filesystem::path& path);

  NewFile(NewFile&& other) noexcept
      : path_(std::move(other.path_)),
        temporary_(std::exchange(other.temporary_, {})),
        output_(std::move(other.output_)) {}
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  OutputFile& output() { return output_; }
  // Gives it its name. kConflict if there is a file of this name with other contents.
  Status Finish();

 private:
  NewFile(std::filesystem::path path, std::filesystem::path temporary, OutputFile output)
      : path_(std::move(path)), temporary_(std::move(temporary)), output_(std::move(output)) {}

  std::filesystem::path path_, temporary_;
  OutputFile output_;
};

// A folder under a temporary name that readers ignore; removed with its contents unless renamed.
class NewFolder {
 public:
  static Result<NewFolder> Create(const std::filesystem::path& parent, std::string_view name);

  NewFolder(NewFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  NewFolder& operator=(NewFolder&&) = delete;
  ~NewFolder();

  const std::filesystem::path& path() const { return path_; }

  // kConflict if `to` exists and is neither an empty folder nor one with the same files, or if it is in another folder
  // than this one was created in and that is a symbolic link: it could lead anywhere.
  Status Rename(const std::filesystem::path& to);

 private:
  explicit NewFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// Whether a path that a record gives may be written below the folder of an export. Records may be forged: such a path
// leads nowhere else, has no hidden part (.git/config is run by git), and nothing that a terminal acts on.
bool IsSafePath(const std::filesystem::path& path);

// A file name for any conversation id: characters other than letters, digits, '-', '_' and '.' (not at the beginning)
// are escaped as %XX; a long name is truncated and made unique by a hash.
std::string FolderName(std::string_view conversation);

}  // namespace turnlog
