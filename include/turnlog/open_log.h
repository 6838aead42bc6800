// Opens a log by its place, whatever the engine.
#pragma once

#include <memory>
#include <string>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct OpenOptions {
  OpenMode mode = OpenMode::kCreate;
  std::string holder;  // who we are, for the error that another writer gets
};

// `place`: the path of a folder (segment_log.h, which also has its options). A place that begins with "SCHEME:", such
// as "https:", "unix:" or "postgresql:", is of another engine: kUnsupported if this build does not have it. A folder
// with such a name is "./SCHEME:...".
Result<std::unique_ptr<Log>> OpenLog(const std::string& place, const OpenOptions& options = {});

}  // namespace turnlog
