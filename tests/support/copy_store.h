// A copy of a store while it is open, as a crash would leave it.
#pragma once

#include <filesystem>

namespace turnlog {

void CopyStore(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace turnlog
