// Visits the sessions of one source: files, or rows of a database.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "doctor/found_secrets.h"
#include "migrate/import/find_sources.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {

struct SourceVisitContext {
  std::span<const std::filesystem::path> roots;  // the paths that the user has named
  const DoctorOptions& options;
  const SessionSecrets* secrets = nullptr;
};

struct SourceReport {
  std::vector<SessionReport> sessions;
  std::vector<IndexFinding> indexes;
  std::vector<std::string> notes;
  std::string not_examined;  // the format, if there is no session that is examined
};

SourceReport VisitSource(FoundSource found, const SourceVisitContext& context);
// REQUIRES: the source is a database, and nothing else has its files open.
SourceReport VisitDatabase(const FoundSource& found, Source source, const SourceVisitContext& context);

// Where the copy of a file goes.
std::filesystem::path CopyOf(const std::filesystem::path& path, const SourceVisitContext& context);

}  // namespace turnlog
