#include "store/index/table_tail.h"

#include <cstring>
#include <string_view>

#include "base/hash.h"

namespace turnlog {
namespace {

constexpr std::size_t kFooterBytes = 53;  // type of checksum, two handles padded to 40 bytes, version, magic number
constexpr std::size_t kHandlesBytes = 40;
constexpr std::size_t kTrailerBytes = 5;  // of a block: type of compression, checksum
constexpr char kXxh3 = 4;
constexpr std::uint64_t kMagic = 0x88e241b785f4cff7;
constexpr std::uint64_t kMostBlockBytes = std::uint64_t{16} << 20;  // of blocks that describe the table

struct Handle {
  std::uint64_t offset = 0, length = 0;
};

std::optional<std::uint64_t> TakeVarint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<Handle> TakeHandle(std::string_view& bytes) {
  const auto offset = TakeVarint(bytes);
  const auto length = offset ? TakeVarint(bytes) : std::nullopt;
  return length ? std::optional(Handle{*offset, *length}) : std::nullopt;
}

template <class Number>
Number Load(std::string_view bytes) {
  Number number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

// RocksDB mixes the last byte, the type of compression, into the hash of the others.
std::uint32_t Checksum(std::string_view block, char compression) {
  return static_cast<std::uint32_t>(Hash64(block)) ^
         static_cast<unsigned char>(compression) * std::uint32_t{0x6b9083d9};
}

std::optional<std::string> ReadBlock(const Handle& handle, std::uint64_t size, const ReadTable& read) {
  if (handle.length > kMostBlockBytes || handle.offset > size || handle.length + kTrailerBytes > size - handle.offset) {
    return std::nullopt;
  }
  auto bytes = read(handle.offset, handle.length + kTrailerBytes);
  if (!bytes) return std::nullopt;
  const std::string_view trailer = std::string_view(*bytes).substr(handle.length);
  const std::string_view block = std::string_view(*bytes).substr(0, handle.length);
  if (Load<std::uint32_t>(trailer.substr(1)) != Checksum(block, trailer.front())) return std::nullopt;
  bytes->resize(handle.length);
  return bytes;
}

// The value of a key in a block whose keys are stored whole, as in the list of blocks.
std::optional<std::string_view> Find(std::string_view block, std::string_view key) {
  while (!block.empty()) {
    const auto shared = TakeVarint(block), rest = TakeVarint(block), length = TakeVarint(block);
    if (!shared || !rest || !length || *shared != 0 || *rest > block.size() || *length > block.size() - *rest) break;
    if (block.substr(0, *rest) == key) return block.substr(*rest, *length);
    block.remove_prefix(*rest + *length);
  }
  return std::nullopt;
}

}  // namespace

bool IsTableTailSound(std::uint64_t size, const ReadTable& read) {
  const auto footer = size < kFooterBytes ? std::nullopt : read(size - kFooterBytes, kFooterBytes);
  if (!footer || footer->front() != kXxh3) return false;
  std::string_view handles = std::string_view(*footer).substr(1, kHandlesBytes);
  if (Load<std::uint64_t>(std::string_view(*footer).substr(kFooterBytes - sizeof kMagic)) != kMagic) return false;
  const auto list = TakeHandle(handles);
  const auto blocks = list ? ReadBlock(*list, size, read) : std::nullopt;
  if (!blocks) return false;
  auto found = Find(*blocks, "rocksdb.properties");
  if (!found) return true;
  const auto properties = TakeHandle(*found);
  return properties && ReadBlock(*properties, size, read).has_value();
}

}  // namespace turnlog
