// ReindexLog for a store that a running service has open.
#pragma once

#include "turnlog/log.h"
#include "turnlog/result.h"
#include "turnlog/storage_visitor.h"

namespace turnlog {

// Has the service rebuild the index as one of its jobs, beside everything else that it does, and waits until it has
// ended. `log`: of OpenRemoteLog. kConflict: the job was cancelled. kIo: the service cannot be reached, or was
// restarted meanwhile; the index is then the old one or the rebuilt one.
Status ReindexThroughService(Log& log, const Progress& progress = {});

}  // namespace turnlog
