// Databases with damaged sessions, for tests.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temp_dir.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {

void Execute(const std::filesystem::path& database, const std::string& sql);

// The first column of all rows.
std::vector<std::string> Texts(const std::filesystem::path& database, const std::string& sql);

// What the Agents SDK sends of a session.
std::string ItemsOf(const std::filesystem::path& database, const std::string& session);

std::string Problems(const DoctorReport& report);

inline constexpr std::string_view kAllRows =
    "SELECT id || session_id || hex(message_data) FROM agent_messages ORDER BY id";

class DatabaseTest : public testing::Test {
 protected:
  // Of tests/fixtures/damaged/<name>.sql.
  static void Make(const std::string& name, const std::filesystem::path& path);
  std::filesystem::path Make(const std::string& name) const;

  static DoctorReport Run(const std::filesystem::path& path, DoctorOptions options);

  // In the folder.
  std::vector<std::string> Names() const;

  TempDir folder_;
};

}  // namespace turnlog
