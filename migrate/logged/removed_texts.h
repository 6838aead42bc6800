// Compares a redacted text with the one that it was made from.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace turnlog {

// What was in `original` where `redacted` has marks. None: it is not what `redacted` was made from.
std::optional<std::vector<std::string_view>> RemovedTexts(std::string_view redacted, std::string_view original);

}  // namespace turnlog
