#include "tests/redact/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/secrets/fake_secrets.h"
#include "tests/support/temp_dir.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// The letters of base64 that the value determines if `before` bytes precede it in the group.
std::string Core(std::string_view value, std::size_t before, std::string_view letters) {
  const std::string encoded = EncodeBase64(std::string(before, 'x') + std::string(value), letters, false);
  const std::size_t begin = before == 0 ? 0 : before + 1;
  return encoded.substr(begin, (before + value.size()) * 8 / 6 - begin);
}

}  // namespace

std::string Shell(const std::string& command) {
  std::string out;
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen");
  std::array<char, 4096> piece{};
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), pipe)) out.append(piece.data(), size);
  (void)::pclose(pipe);
  return out;
}

std::string Base64(std::string_view text) { return EncodeBase64(text); }

std::vector<std::string> FilesWith(const fs::path& folder, std::string_view value) {
  const TempDir scratch;
  std::string patterns = std::string(value) + "\n";
  for (std::size_t before = 0; before < 3; ++before) {
    patterns += Core(value, before, kBase64) + "\n" + Core(value, before, kWeb64) + "\n";
  }
  std::ofstream(scratch / "patterns") << patterns;
  const std::string found = Shell(
      fmt::format("cd '{}' && grep -r -a -l -F -f '{}' . | sort", folder.string(), (scratch / "patterns").string()));
  std::vector<std::string> files;
  for (std::size_t begin = 0; begin < found.size();) {
    const std::size_t end = found.find('\n', begin);
    files.push_back(found.substr(begin, end - begin));
    begin = end + 1;
  }
  return files;
}

std::vector<std::pair<std::string, std::string>> AllFiles(const fs::path& folder) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files.emplace_back(entry.path().lexically_relative(folder).string(),
                       std::string(std::istreambuf_iterator<char>(file), {}));
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace turnlog
