// A session with all its passes: each examines what the one before has left.
#pragma once

#include <memory>

#include "doctor/examination.h"
#include "doctor/text_edits.h"

namespace turnlog {

class MendedSession {
 public:
  // `session` must outlive it. `known`: of the secrets of its other files; each pass adds those that it finds, and
  // replaces those that were known before it. `counts_apart`: secrets are counted in a thread of its own.
  MendedSession(const SessionFile& session, const DoctorOptions& options, const SessionSecrets* secrets,
                KnownSecrets* known, bool counts_apart = false)
      : session_(session), options_(options), secrets_(secrets), known_(known), counts_apart_(counts_apart) {}

  // Examines the session, and what each pass makes of it until nothing is left to edit.
  Status Run(SessionReport& report);
  // Makes these passes.
  Status Apply(const std::vector<EditPass>& passes, SessionReport& report);
  // With a FolderRename: the first one, with the new name.
  const std::string& cwd() const { return cwd_; }
  // Writes the result.
  Status Write(const WriteBytes& write);

 private:
  SourceFile& Current() { return result_ ? *result_ : *session_.file; }
  Status Edit(const EditPass& edits);
  Status Digest(std::uint64_t& size, std::string& digest);

  const SessionFile& session_;
  const DoctorOptions& options_;
  const SessionSecrets* const secrets_;
  KnownSecrets* const known_;
  const bool counts_apart_;
  std::string cwd_;
  std::unique_ptr<SourceFile> result_;  // of the last pass
};

}  // namespace turnlog
