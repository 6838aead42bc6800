// The file STORE: which store this is and which format it has. Written when the store is made, and again when it is
// upgraded to a later format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/file_system.h"
#include "store/segments/format_version.h"
#include "turnlog/types.h"

namespace turnlog {

struct StoreIdentity {
  std::uint32_t format_version = kFormatVersion;
  std::uint64_t id_high = 0, id_low = 0;  // random
  Timestamp created;

  std::string id() const;  // 32 hexadecimal digits
  std::uint64_t salt() const { return id_high ^ id_low; }
};

// Text of the file, one "name value" per line; the last line carries a checksum of those before it.
std::string EncodeIdentity(const StoreIdentity& identity);
Result<StoreIdentity> DecodeIdentity(std::string_view text);

StoreIdentity NewIdentity();

// The store's folders and files.
struct StorePaths {
  // Of the store at `path`, which need not be there: absolute, so that it stays the same store when the process goes to
  // another folder, and without "." and "..", so that the parent of `root` is the folder that holds its name.
  static Result<StorePaths> At(const std::filesystem::path& path);

  std::filesystem::path root;

  std::filesystem::path identity() const { return root / "STORE"; }
  std::filesystem::path lock() const { return root / "LOCK"; }
  std::filesystem::path log() const { return root / "log"; }
  std::filesystem::path index() const { return root / "index"; }
  std::filesystem::path new_index() const { return root / "index.new"; }  // being built, to replace the other
  std::filesystem::path old_index() const { return root / "index.old"; }  // replaced, being removed
};

// kNotFound where there is no store.
Result<StoreIdentity> ReadIdentity(FileSystem& files, const StorePaths& paths);

// Makes an empty store in a folder that is empty or not there; the file STORE comes last, so that a crash on the way
// leaves no half-made store.
Result<StoreIdentity> CreateStore(FileSystem& files, const StorePaths& paths);

// Writes STORE once more, with the newest format, unless it has that already. Before any segment of that format exists,
// so that an older program refuses the store as a whole.
Status UpgradeStore(FileSystem& files, const StorePaths& paths, StoreIdentity& identity);

}  // namespace turnlog
