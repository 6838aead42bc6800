// Opens a log by its location, of any engine.
#pragma once

#include <memory>
#include <string>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct OpenOptions {
  OpenMode mode = OpenMode::kCreate;
  std::string holder;  // names this program in the kBusy error of other writers
};

// `location`: the path of a folder (segment_log.h), or "postgresql://..." for a store in a database (sql_log.h); these
// headers have more options. Another location that begins with "SCHEME:", such as "https:" or "unix:", belongs to an
// engine that this build does not have: kUnsupported. For a folder with such a name write "./SCHEME:...".
Result<std::unique_ptr<Log>> OpenLog(const std::string& location, const OpenOptions& options = {});

}  // namespace turnlog
