// Visits the sessions of one source: files, or rows of a database (database_visit.h).
#pragma once

#include <string>
#include <vector>

#include "doctor/copy_paths.h"
#include "doctor/found_secrets.h"
#include "migrate/sources/find_sources.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {

struct SourceVisitContext {
  CopyPaths& copies;
  const DoctorOptions& options;
  const SessionSecrets* secrets = nullptr;
  bool counts_apart = false;  // there are more processors than sources: secrets are counted beside the other checks
};

struct SourceReport {
  std::vector<SessionReport> sessions;
  std::vector<IndexFinding> indexes;
  std::vector<std::string> notes;
  KnownSecrets known{};      // of the sessions, if they are redacted
  std::string not_examined;  // the format, if there is no session that is examined
};

SourceReport VisitSource(FoundSource found, const SourceVisitContext& context);

}  // namespace turnlog
