// Any name as that of a backup beside a file of JSON lines: each line that is carried over from it is, and only once.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "doctor/replace_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_bytes.h"
#include "tests/support/temp_dir.h"

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kText = "{\"a\":1}\n";

std::string Contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void RequireLines(std::string_view lines, std::string_view text) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    turnlog::Require(text.contains(line));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  static const TempDir dir;
  InputBytes input(data, size);
  std::string name(input.Text(input.Byte() % 64));
  std::ranges::replace_if(name, [](char letter) { return letter == '/' || letter == '\0'; }, '-');
  const fs::path folder = dir / "session", file = folder / "s.jsonl";
  fs::create_directory(folder);
  std::ofstream(file, std::ios::binary) << kText;
  const std::string_view backup = input.Rest();
  std::ofstream(folder / ("s.jsonl." + name + std::string(kBackupSuffix)), std::ios::binary) << backup;

  const std::uint64_t late = CountLateBytes(file);
  Require(late <= backup.size());
  Require(CarryOver(file, {}).has_value());
  Require(CountLateBytes(file) == 0);
  const std::string contents = Contents(file);
  Require(contents.starts_with(kText));
  RequireLines(backup.substr(backup.size() - late), contents);
  Require(CarryOver(file, {}) == std::uint64_t{0} && Contents(file) == contents);
  fs::remove_all(folder);
  return 0;
}
