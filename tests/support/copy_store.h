#pragma once

#include <filesystem>

namespace turnlog {

// Copies a store, beside its writer too: the copy is what a crash would leave, up to what was written before the call.
void CopyStore(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace turnlog
