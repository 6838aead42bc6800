// Any bytes as the file of a service's tokens: refused as corrupt, or a list that can be changed.
#include <fstream>
#include <string>

#include "service/named_tokens.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temp_dir.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  static const TempDir dir;
  const std::filesystem::path file = dir / "service.tokens";
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const auto tokens = ListAccessTokens(file);
  if (!tokens) {
    Require(tokens.error().code == ErrorCode::kCorruption);
    Require(!AddAccessToken(file, "fuzz", {AccessRight::kRead}));
    return 0;
  }
  const auto added = AddAccessToken(file, "fuzz", {AccessRight::kRead});
  Require(added || added.error().code == ErrorCode::kConflict);
  const auto again = ListAccessTokens(file);
  Require(again && again->size() == tokens->size() + (added ? 1 : 0));
  if (added) Require(NamedTokens(file).Find(*added).has_value());
  return 0;
}
