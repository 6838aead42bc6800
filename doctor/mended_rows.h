// The rows of a session as JSON lines, and what has changed in them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/sqlite/row_changes.h"

namespace turnlog {

// What makes the rows of `before` those of `after`. Each line is a row with its table and columns; one whose `id` is
// null is new. Nothing if a row has changed that has no id, or a value that is no text.
std::optional<std::vector<RowChange>> FindRowChanges(std::string_view before, std::string_view after);

}  // namespace turnlog
