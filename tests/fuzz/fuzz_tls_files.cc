// Any bytes as the PEM files of a server and of those whom a client trusts: refused, or used, and read again as the
// same. Before the first NUL is the certificate, after it the key; without a NUL, one file is both.
#include <filesystem>
#include <fstream>
#include <string_view>

#include "http/tls.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace turnlog;

void Write(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary) << text;
  std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TempDir dir;
  const std::filesystem::path certificate = dir / "certificate", key = dir / "key";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\0');
  Write(certificate, text.substr(0, end));
  Write(key, end == std::string_view::npos ? text : text.substr(end + 1));
  const auto server = TlsServer::Load(certificate, key);
  Require(server ? (*server)->Reload().has_value() : server.error().code == ErrorCode::kInvalidArgument);
  const auto client = TlsClient::Make(certificate);
  Require(client || client.error().code == ErrorCode::kInvalidArgument);
  return 0;
}
