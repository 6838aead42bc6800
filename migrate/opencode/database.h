// The sessions in a database of opencode, version 1.
#pragma once

#include <vector>

#include "migrate/records/record_source.h"

namespace turnlog {

Result<std::vector<RecordFile>> OpencodeDatabase(Source& source);

}  // namespace turnlog
