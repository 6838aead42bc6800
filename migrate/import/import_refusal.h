// Why a conversation of a source cannot be imported, and where.
#pragma once

#include <string_view>

#include "migrate/sources/source_reader.h"
#include "turnlog/migrate/import.h"

namespace turnlog {

class ImportRefusal {
 public:
  // `path`: of the source. `redacts`: its secrets are looked for and removed.
  ImportRefusal(std::string_view path, bool redacts) : path_(path), redacts_(redacts) {}

  // Something was redacted when the conversation was imported before, which may look like a change.
  void set_was_redacted(bool was_redacted) { was_redacted_ = was_redacted; }

  std::unexpected<Error> Refuse(const SourceLocation& location, ImportReason reason);
  std::unexpected<Error> Refuse(ImportReason reason) { return Refuse({path_}, std::move(reason)); }
  // The log has something else, as `seq`; 0: elsewhere.
  std::unexpected<Error> RefuseChanged(const SourceLocation& location, Seq seq);

  const SourceLocation& location() const { return location_; }
  ImportProblemCode code() const { return code_; }

 private:
  const std::string_view path_;
  const bool redacts_;
  bool was_redacted_ = false;
  SourceLocation location_;
  ImportProblemCode code_ = ImportProblemCode::kRefused;  // by the log
};

}  // namespace turnlog
