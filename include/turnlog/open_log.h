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

// `location`: the path of a folder (see segment_log.h for this engine and its options). A location that begins with
// "SCHEME:", such as "https:", "unix:" or "postgresql:", belongs to another engine: kUnsupported if this build does not
// have it. For a folder with such a name write "./SCHEME:...".
Result<std::unique_ptr<Log>> OpenLog(const std::string& location, const OpenOptions& options = {});

}  // namespace turnlog
