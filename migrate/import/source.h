// One thing to import: a file, or a folder whose files belong together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrate/import/byte_source.h"
#include "turnlog/types.h"

namespace turnlog {

// A file of a source. It is opened once, and every reading ends where the first one did: a file that grows meanwhile is
// seen as it was.
class SourceFile {
 public:
  // `named`: by the user, who may mean a link or a pipe. What was found in a folder is a regular file or an error.
  SourceFile(std::filesystem::path path, bool named)
      : name_(path.filename().string()), path_(std::move(path)), named_(named) {}
  SourceFile(std::string name, std::shared_ptr<ByteSource> bytes)
      : name_(name), path_(std::move(name)), bytes_(std::move(bytes)) {}

  const std::string& name() const { return name_; }
  const std::filesystem::path& path() const { return path_; }

  Result<std::size_t> ReadAt(std::uint64_t offset, std::span<char> out);
  // The first bytes, as many as there are.
  Result<std::string> Head(std::size_t bytes);
  // All of it; an error if that is more than an event can hold.
  Result<std::string> ReadAll();

 private:
  std::string name_;
  std::filesystem::path path_;
  bool named_ = false;
  std::shared_ptr<ByteSource> bytes_;
  std::uint64_t end_ = UINT64_MAX;
};

struct Source {
  std::filesystem::path path;
  std::string name;               // of the file or folder
  std::string folder;             // name of the folder around it
  std::vector<SourceFile> files;  // in order of their names

  SourceFile* Find(std::string_view file);
};

// The last name of a path, also of "." and "conversation/".
std::string NameOf(const std::filesystem::path& path);

// A hash of everything in the source, so that what has not changed need not be parsed.
Result<std::string> Fingerprint(Source& source);

}  // namespace turnlog
