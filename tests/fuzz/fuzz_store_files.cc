// Any bytes as the small text files of a store and of a backup: refused, or written again and read as the same. The
// first byte says which file; STORE and BACKUP get the checksum that no mutation would hit.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/hash.h"
#include "store/backup/backup_files.h"
#include "store/segments/store_identity.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_bytes.h"

namespace {

using namespace turnlog;

std::string WithChecksum(std::string_view text) { return fmt::format("{}checksum {:016x}\n", text, Hash64(text)); }

void ReadStore(std::string_view text) {
  (void)DecodeIdentity(text);
  const auto identity = DecodeIdentity(WithChecksum(text));
  if (!identity) return;
  const std::string again = EncodeIdentity(*identity);
  const auto same = DecodeIdentity(again);
  Require(same && EncodeIdentity(*same) == again && same->salt() == identity->salt());
}

void ReadBackup(std::string_view text) {
  (void)DecodeBackup(text);
  const auto end = DecodeBackup(WithChecksum(text));
  if (end) Require(DecodeBackup(EncodeBackup(*end, Timestamp())) == end);
}

void ReadBackups(std::string_view text) {
  const std::string again = EncodeRegistry(DecodeRegistry(text));
  Require(EncodeRegistry(DecodeRegistry(again)) == again);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  InputBytes input(data, size);
  const int file = input.Byte() % 3;
  const std::string_view text = input.Rest();
  if (file == 0) ReadStore(text);
  if (file == 1) ReadBackup(text);
  if (file == 2) ReadBackups(text);
  return 0;
}
