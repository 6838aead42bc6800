// The end of one of RocksDB's table files: its footer, and the blocks that RocksDB reads when it opens the table. It
// parses one of them, the properties, before it verifies the checksum, and a build with assertions aborts if the block
// is damaged. So this is verified first. The format: RocksDB's "BlockBasedTable Format", version 5 and earlier.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace turnlog {

// Reads so many bytes of the file; nothing if that fails, for example because it ends before them.
using ReadTable = std::function<std::optional<std::string>(std::uint64_t offset, std::size_t length)>;

// False if the footer, the list of blocks or the properties are damaged. Tables without properties are sound.
// REQUIRES: the table has checksums of the type XXH3, as those of the index do.
bool IsTableTailSound(std::uint64_t size, const ReadTable& read);

}  // namespace turnlog
