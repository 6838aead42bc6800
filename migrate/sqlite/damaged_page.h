// A page of a SQLite database some cells of which are damaged. Source: https://www.sqlite.org/fileformat2.html, "B-tree
// Pages".
#pragma once

#include <cstddef>
#include <span>

namespace turnlog {

// Takes out the cells that are not whole within the page. Without that SQLite takes none of its cells, because of its
// cell_size_check, or the memory behind the page for the rest of one. Other pages than those of tables stay as they
// are. `header`: where that of the page begins; 100 in the first page of a file. `reserved`: unused bytes at the end.
void DropDamagedCells(std::span<char> page, std::size_t header, std::size_t reserved);

}  // namespace turnlog
