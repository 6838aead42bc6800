#include "tests/doctor/session_files.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>

#include "tests/support/source_dir.h"

namespace turnlog {

std::filesystem::path DamagedSessions() { return SourceDir() / "tests" / "fixtures" / "damaged"; }

std::string TextOf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteText(const std::filesystem::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  EXPECT_TRUE(out.flush()) << file;
}

std::string OrphanedCall() { return TextOf(DamagedSessions() / "claude-code" / "orphaned-call.jsonl"); }

SessionReport Examine(const std::filesystem::path& file, DoctorOptions options) {
  const std::array<std::filesystem::path, 1> paths{file};
  auto report = ExamineSessions(paths, options);
  EXPECT_TRUE(report) << report.error().message;
  if (!report || report->sessions.size() != 1) {
    ADD_FAILURE() << file << ": not one session";
    return {};
  }
  return std::move(report->sessions.front());
}

}  // namespace turnlog
