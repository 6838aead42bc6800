// Optional histories and test vectors outside of the project: in the folder that TURNLOG_SHARED names, else in
// "../shared" relative to the source folder.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

namespace turnlog {

// The shared file or folder of this name, or nothing.
std::optional<std::filesystem::path> FindShared(const std::filesystem::path& name);

}  // namespace turnlog

// Declares `variable` as the path of shared data, or skips the test and says what is missing.
#define TURNLOG_SHARED_OR_SKIP(variable, name)                                                        \
  const auto variable##_found = ::turnlog::FindShared(name);                                          \
  if (!variable##_found) GTEST_SKIP() << "no " << (name) << " in the folder named by TURNLOG_SHARED"; \
  const std::filesystem::path& variable = *variable##_found
