// The file STORE: the store's id and format. Written when the store is created, and again when it is upgraded to a
// later format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/file_system.h"
#include "store/segments/format_version.h"
#include "turnlog/segment_log.h"
#include "turnlog/types.h"

namespace turnlog {

// What a store is created with. One that does not say is of a version that could not compress.
inline constexpr Compression kDefaultCompression = Compression::kNone;

struct StoreIdentity {
  std::uint32_t format_version = kFormatVersion;
  std::uint64_t id_high = 0, id_low = 0;  // random
  Timestamp created;
  Compression compression = Compression::kNone;  // of new events

  std::string id() const;  // 32 hexadecimal digits
  std::uint64_t salt() const { return id_high ^ id_low; }
};

// Text of the file, one "name value" per line; the last line carries a checksum of those before it.
std::string EncodeIdentity(const StoreIdentity& identity);
Result<StoreIdentity> DecodeIdentity(std::string_view text);

// `id`: the id; 0: a random one.
StoreIdentity NewIdentity(std::uint64_t id = 0);

// The store's folders and files.
struct StorePaths {
  // Of the store at `path`, which need not exist. The path is made absolute, so that it stays valid after chdir, and
  // contains no "." and "..", so that the parent of `root` is the folder that contains it.
  static Result<StorePaths> At(const std::filesystem::path& path);

  std::filesystem::path root;

  std::filesystem::path identity() const { return root / "STORE"; }
  std::filesystem::path lock() const { return root / "LOCK"; }
  std::filesystem::path log() const { return root / "log"; }
  std::filesystem::path index() const { return root / "index"; }
  std::filesystem::path new_index() const { return root / "index.new"; }  // being built, to replace the other
  std::filesystem::path old_index() const { return root / "index.old"; }  // replaced, being removed
};

// kCorruption: there are segments, although there is no STORE. What has neither is no store.
Status CheckHasNoLog(FileSystem& files, const StorePaths& paths);

// kNotFound: there is no store. kCorruption: STORE is damaged, or has been lost. kInvalidArgument: its log is a link or
// something else that must not be read.
Result<StoreIdentity> ReadIdentity(FileSystem& files, const StorePaths& paths);

// Creates an empty store in a folder that is empty or does not exist. The file STORE comes last, so that a crash leaves
// no incomplete store.
Result<StoreIdentity> CreateStore(FileSystem& files, const StorePaths& paths,
                                  Compression compression = kDefaultCompression, std::uint64_t id = 0);

// Rewrites STORE with the newest format, unless it has that already. Called before any segment of that format exists,
// so that an older program refuses the whole store.
Status UpgradeStore(FileSystem& files, const StorePaths& paths, StoreIdentity& identity);

// Rewrites STORE, unless the store is set to this already. REQUIRES: the store is locked for writing.
Status WriteCompression(FileSystem& files, const StorePaths& paths, StoreIdentity& identity, Compression compression);

}  // namespace turnlog
