// Opens a log by its location, of any engine.
#pragma once

#include <memory>
#include <string>

#include "turnlog/log.h"
#include "turnlog/result.h"

namespace turnlog {

struct OpenOptions {
  OpenMode mode = OpenMode::kCreate;
  std::string holder;      // names this program in the kBusy error of other writers
  std::string token = {};  // for a service at a TCP address
};

// `location`: the path of a folder (segment_log.h); a running service (service/remote_log.h), as "unix:PATH" of its
// socket, "http://127.0.0.1:PORT" or "https://HOST:PORT"; or "postgresql://..." for a store in a database (sql_log.h).
// A URL of a service has no user, query or fragment, and with http: no path: kInvalidArgument. These headers have more
// options. If a service has a folder open, writers of the folder use the service. Locations of other schemes, such as
// "ftp:", belong to engines that this build does not have: kUnsupported. For a folder with such a name write
// "./SCHEME:...".
Result<std::unique_ptr<Log>> OpenLog(const std::string& location, const OpenOptions& options = {});

}  // namespace turnlog
