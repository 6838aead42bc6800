#include "migrate/sqlite/damaged_page.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace turnlog {
namespace {

constexpr char kInnerPage = 5, kLeafPage = 13;  // of tables
constexpr std::size_t kChild = 4, kOverflowPage = 4, kLeastCell = 4;

// The part of a page that is used.
class Page {
 public:
  explicit Page(std::span<char> bytes) : bytes_(bytes) {}

  std::size_t size() const { return bytes_.size(); }
  std::size_t Short(std::size_t at) const { return std::size_t{Byte(at)} << 8 | Byte(at + 1); }
  void SetShort(std::size_t at, std::size_t value) {
    bytes_[at] = static_cast<char>(value >> 8);
    bytes_[at + 1] = static_cast<char>(value);
  }

  // The number at `at`, which is then behind it: 7 bits a byte, big-endian, and 8 in a ninth one.
  std::optional<std::uint64_t> Varint(std::size_t& at) const {
    std::uint64_t value = 0;
    for (int byte = 1; at < size(); ++byte) {
      const std::uint8_t bits = Byte(at++);
      if (byte == 9) return value << 8 | bits;
      value = value << 7 | (bits & 0x7f);
      if (bits < 0x80) return value;
    }
    return std::nullopt;
  }

 private:
  std::uint8_t Byte(std::size_t at) const { return static_cast<std::uint8_t>(bytes_[at]); }
  std::span<char> bytes_;
};

// How many bytes of a row are in its cell: the rest is in overflow pages.
std::size_t BytesInCell(std::uint64_t row, std::size_t page) {
  const std::size_t max = page - 35, min = (page - 12) * 32 / 255 - 23;
  if (row <= max) return row;
  const std::size_t rest = min + (row - min) % (page - 4);
  return (rest <= max ? rest : min) + kOverflowPage;
}

bool IsWhole(const Page& page, std::size_t cell, bool leaf) {
  if (page.size() < kLeastCell || cell > page.size() - kLeastCell) return false;
  std::size_t at = leaf ? cell : cell + kChild;
  const auto first = page.Varint(at);  // the size of the row; of an inner page the rowid, which is all
  if (!leaf || !first) return first.has_value();
  return page.Varint(at) && BytesInCell(*first, page.size()) <= page.size() - at;
}

}  // namespace

void DropDamagedCells(std::span<char> bytes, std::size_t header, std::size_t reserved) {
  constexpr std::size_t kLeastUsed = 480;  // as SQLite requires
  if (bytes.size() < kLeastUsed + reserved) return;
  Page page(bytes.first(bytes.size() - reserved));
  const bool leaf = bytes[header] == kLeafPage;
  if (!leaf && bytes[header] != kInnerPage) return;
  const std::size_t places = header + (leaf ? 8 : 12), count = header + 3;
  const std::size_t cells = page.Short(count), content = places + 2 * cells;
  if (content > page.size()) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    const std::size_t cell = page.Short(places + 2 * i);
    if (cell < content || !IsWhole(page, cell, leaf)) continue;
    page.SetShort(places + 2 * kept++, cell);
  }
  page.SetShort(count, kept);
}

}  // namespace turnlog
