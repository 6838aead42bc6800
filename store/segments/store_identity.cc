#include "store/segments/store_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <random>

#include "base/hash.h"
#include "base/try.h"

namespace turnlog {
namespace {

constexpr std::string_view kFirstLine = "turnlog store\n";

std::unexpected<Error> Damaged(std::string reason) {
  return std::unexpected(Error{ErrorCode::kCorruption, "the file STORE " + std::move(reason)});
}

// The rest of the line that begins with `name` and a space.
std::string_view Value(std::string_view text, std::string_view name) {
  const std::string key = fmt::format("\n{} ", name);
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  return text.substr(0, text.find('\n'));
}

template <class Int>
bool ParseNumber(std::string_view text, Int& value, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return !text.empty() && error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::string StoreIdentity::id() const { return fmt::format("{:016x}{:016x}", id_high, id_low); }

std::string EncodeIdentity(const StoreIdentity& identity) {
  std::string text = fmt::format("{}format {}\nid {}\ncreated {}\n", kFirstLine, identity.format_version, identity.id(),
                                 identity.created.ToRfc3339());
  // Left out, so that nothing differs from what earlier versions write.
  if (identity.compression != Compression::kNone)
    text += fmt::format("compression {}\n", ToString(identity.compression));
  return text + fmt::format("checksum {:016x}\n", Hash64(text));
}

Result<StoreIdentity> DecodeIdentity(std::string_view text) {
  if (!text.starts_with(kFirstLine)) return Damaged("does not begin with \"turnlog store\"");
  StoreIdentity identity;
  if (!ParseNumber(Value(text, "format"), identity.format_version)) return Damaged("has no valid line \"format\"");
  if (!IsKnownFormat(identity.format_version)) {
    return std::unexpected(Error{ErrorCode::kUnsupportedVersion,
                                 fmt::format("the store has format {}, this program reads formats {} to {}",
                                             identity.format_version, kOldestFormatVersion, kFormatVersion)});
  }
  const std::size_t last_line = text.rfind("checksum ");
  std::uint64_t checksum = 0;
  if (last_line == std::string_view::npos || !ParseNumber(Value(text, "checksum"), checksum, 16) ||
      checksum != Hash64(text.substr(0, last_line))) {
    return Damaged("does not match its checksum");
  }
  const std::string_view id = Value(text, "id");
  const auto created = Timestamp::ParseRfc3339(Value(text, "created"));
  if (id.size() != 32 || !ParseNumber(id.substr(0, 16), identity.id_high, 16) ||
      !ParseNumber(id.substr(16), identity.id_low, 16) || !created) {
    return Damaged("has no valid id or time of creation");
  }
  identity.created = *created;
  // Of what a later version can do and this one cannot, nothing is needed to read.
  identity.compression = ParseCompression(Value(text, "compression")).value_or(Compression::kNone);
  return identity;
}

StoreIdentity NewIdentity(std::uint64_t id) {
  std::random_device random;
  const auto draw = [&] { return (std::uint64_t{random()} << 32) | random(); };
  StoreIdentity identity;
  identity.id_high = id != 0 ? id : draw();
  identity.id_low = id != 0 ? 0 : draw();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  identity.created.nanos = std::chrono::floor<std::chrono::seconds>(now) / std::chrono::nanoseconds{1};
  return identity;
}

Result<StorePaths> StorePaths::At(const std::filesystem::path& path) {
  if (path.empty()) return std::unexpected(Error{ErrorCode::kInvalidArgument, "the path of the store is empty"});
  std::error_code error;
  std::filesystem::path root = std::filesystem::absolute(path, error);
  if (!error) root = std::filesystem::weakly_canonical(root, error);
  if (error) {
    return std::unexpected(Error{ErrorCode::kIo, fmt::format("cannot find {}: {}", path.string(), error.message())});
  }
  return StorePaths{root.has_filename() ? root : root.parent_path()};
}

Status CheckHasNoLog(FileSystem& files, const StorePaths& paths) {
  if (TURNLOG_TRY(files.KindOf(paths.log())) != FileKind::kFolder) return {};
  const auto names = TURNLOG_TRY(files.List(paths.log()));
  if (std::ranges::none_of(names, [](const std::string& name) { return name.ends_with(".seg"); })) return {};
  return std::unexpected(
      Error{ErrorCode::kCorruption,
            fmt::format("{} has the log of a store, but not its file STORE: copy that from a backup of "
                        "the store, or run an interrupted backup or restore again",
                        paths.root.string())});
}

Result<StoreIdentity> ReadIdentity(FileSystem& files, const StorePaths& paths) {
  if (!TURNLOG_TRY(Exists(files, paths.identity()))) {
    TURNLOG_TRY(CheckHasNoLog(files, paths));
    return std::unexpected(Error{ErrorCode::kNotFound, fmt::format("no turnlog store at {}", paths.root.string())});
  }
  const FileKind log = TURNLOG_TRY(files.KindOf(paths.log()));
  if (log != FileKind::kFolder && log != FileKind::kMissing) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument, fmt::format("{} is {}, not a folder", paths.log().string(), ToString(log))});
  }
  return DecodeIdentity(TURNLOG_TRY(ReadFile(files, paths.identity())));
}

Result<StoreIdentity> CreateStore(FileSystem& files, const StorePaths& paths, Compression compression,
                                  std::uint64_t id) {
  StoreIdentity identity = NewIdentity(id);
  identity.compression = compression;
  TURNLOG_TRY(files.CreateDirectory(paths.log()));
  TURNLOG_TRY(files.SyncDirectory(paths.root));
  TURNLOG_TRY(WriteFile(files, paths.identity(), EncodeIdentity(identity)));
  return identity;
}

Status UpgradeStore(FileSystem& files, const StorePaths& paths, StoreIdentity& identity) {
  if (identity.format_version == kFormatVersion) return {};
  StoreIdentity upgraded = identity;
  upgraded.format_version = kFormatVersion;
  TURNLOG_TRY(WriteFile(files, paths.identity(), EncodeIdentity(upgraded)));
  identity = upgraded;
  return {};
}

Status WriteCompression(FileSystem& files, const StorePaths& paths, StoreIdentity& identity, Compression compression) {
  if (identity.compression == compression) return {};
  StoreIdentity changed = identity;
  changed.compression = compression;
  TURNLOG_TRY(WriteFile(files, paths.identity(), EncodeIdentity(changed)));
  identity = changed;
  return {};
}

std::string_view ToString(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return "none";
    case Compression::kFast:
      return "fast";
    case Compression::kSmall:
      return "small";
  }
  return "unknown";
}

std::optional<Compression> ParseCompression(std::string_view text) {
  for (const Compression each : {Compression::kNone, Compression::kFast, Compression::kSmall}) {
    if (text == ToString(each)) return each;
  }
  return std::nullopt;
}

}  // namespace turnlog
