// A settings file of another program, which is read, changed and replaced as a whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "logctl/errors.h"

namespace turnlog {

class SettingsFile {
 public:
  // A file that is missing is empty. Symbolic links are followed, so that the file they lead to is replaced.
  static Expected<SettingsFile> Read(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const std::string& text() const { return text_; }

  // Replaces the contents at once, with the same permissions; the old ones stay in a file beside it, whose path is
  // returned. Nothing is written, and nothing returned, if they are the same. Fails if another program has changed the
  // file since it was read.
  Expected<std::string> Replace(std::string_view text);

 private:
  SettingsFile(std::filesystem::path path, std::string text, bool exists)
      : path_(std::move(path)), text_(std::move(text)), exists_(exists) {}

  std::filesystem::path path_;
  std::string text_;
  bool exists_;
};

// A word as a shell reads it.
std::string ShellWord(std::string_view word);

}  // namespace turnlog
