// Any bytes as a list of secret values: refused, or values of one line that lie in it, each with a name.
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <string_view>

#include "logctl/given_values.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_bytes.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace turnlog;

void RequirePieces(const GivenValues& given, std::string_view text, char separator) {
  Require(given.values().size() == given.names().size());
  for (const std::string_view value : given.values()) {
    Require(!value.empty() && !value.contains(separator));
    const std::size_t at = text.find(value);
    Require(at != std::string_view::npos);
    text.remove_prefix(at + value.size());
  }
}

void ReadLines(const std::string& file, std::string_view text) {
  GivenValues given;
  if (given.AddLines(file)) RequirePieces(given, text, '\n');
}

void ReadWhole(const std::string& file, std::string_view text) {
  GivenValues given;
  const auto added = given.AddFile(file);
  Require(added.has_value() != text.empty());
  if (added) Require(given.values().front() == text);
}

void ReadStandardInput(const std::string& file, std::string_view text, bool nul_separated) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  Require(descriptor >= 0 && ::dup2(descriptor, STDIN_FILENO) == STDIN_FILENO);
  (void)::close(descriptor);
  GivenValues given;
  const auto added = given.AddStandardInput(nul_separated);
  const bool has_values = text.find_first_not_of('\0') != std::string_view::npos;
  if (nul_separated) Require(added.has_value() == has_values);
  if (added) RequirePieces(given, text, nul_separated ? '\0' : '\n');
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TempDir dir;
  const std::string file = (dir / "values").string();
  InputBytes input(data, size);
  const bool nul_separated = (input.Byte() & 1U) != 0;
  const std::string_view text = input.Rest();
  std::ofstream(file, std::ios::binary) << text;
  ReadLines(file, text);
  ReadWhole(file, text);
  ReadStandardInput(file, text, nul_separated);
  return 0;
}
