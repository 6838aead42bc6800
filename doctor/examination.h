// Examines one file: what its format and its provider require of it, and the edits of one pass.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/found_secrets.h"
#include "doctor/session_kinds.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {

struct Examination {
  std::vector<SessionFinding> findings;
  EditPass edits;
  std::uint64_t size = 0;
  std::string digest;
  std::string cwd;  // with a FolderRename: the first one, with the new name
};

// Reads `file`, which has the contents of `session` or what a pass has made of them. `secrets`: counts them; null: does
// not look for any.
Result<Examination> ExamineFile(const SessionFile& session, SourceFile& file, const DoctorOptions& options,
                                FoundSecretCounts* secrets);

}  // namespace turnlog
