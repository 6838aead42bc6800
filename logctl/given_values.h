// The secret values that a command is given: on standard input, or in files.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_string.h"
#include "logctl/errors.h"

namespace turnlog {

class GivenValues {
 public:
  GivenValues() = default;
  GivenValues(const GivenValues&) = delete;
  GivenValues& operator=(const GivenValues&) = delete;

  // Each non-empty line, or with `nul_separated` what is between NULs, which may have several lines. Lines that begin a
  // block of several lines, such as a private key, are wrong usage.
  Expected<void> AddStandardInput(bool nul_separated);
  // All of a file is one value.
  Expected<void> AddFile(const std::string& path);
  // Each non-empty line of a file.
  Expected<void> AddLines(const std::string& path);
  void Add(std::string_view value);

  const std::vector<std::string_view>& values() const { return values_; }
  // For messages: "line 2 of standard input".
  const std::vector<std::string>& names() const { return names_; }

 private:
  Expected<void> AddPieces(std::string_view text, bool nul_separated, std::string_view name);

  std::deque<SecretString> texts_;
  std::vector<std::string_view> values_;
  std::vector<std::string> names_;
};

}  // namespace turnlog
