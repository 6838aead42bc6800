// A folder of our own in the system's folder for temporary files, gone with its owner.
#pragma once

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

#include <filesystem>
#include <memory>
#include <string>

#include "turnlog/result.h"

namespace turnlog {

class ScratchFolder {
 public:
  static Result<std::unique_ptr<ScratchFolder>> Make() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "turnlog-XXXXXX").string();
    if (error || ::mkdtemp(name.data()) == nullptr) {
      return std::unexpected(Error{ErrorCode::kIo, fmt::format("cannot make a temporary folder {}", name)});
    }
    return std::unique_ptr<ScratchFolder>(new ScratchFolder(name));
  }
  ~ScratchFolder() {
    std::error_code ignored;  // nothing more can be done about it
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace turnlog
