// Versions of the on-disk format; docs/on_disk_format.md, "Versions".
#pragma once

#include <cstdint>

namespace turnlog {

// Writers write the newest version and read all of these. Segments keep the version that they were written with.
inline constexpr std::uint32_t kOldestFormatVersion = 1;
inline constexpr std::uint32_t kFormatVersion = 2;

constexpr bool IsKnownFormat(std::uint32_t version) {
  return version >= kOldestFormatVersion && version <= kFormatVersion;
}

}  // namespace turnlog
