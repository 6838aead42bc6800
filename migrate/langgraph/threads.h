// The threads in a database of LangGraph's checkpoints.
#pragma once

#include <vector>

#include "migrate/records/record_source.h"

namespace turnlog {

// One for each thread, and for each of its subgraphs. Those with values in pickle are refused.
Result<std::vector<RecordFile>> LangGraphThreads(Source& source);

}  // namespace turnlog
