// Shows what searching the bytes of segments cannot find: payloads that are stored compressed.
#pragma once

#include "store/segments/segment_set.h"
#include "turnlog/result.h"
#include "turnlog/storage_visitor.h"

namespace turnlog {

// Visits every compressed payload of the log as an entry, decompressed; its object names file and byte. Reports as
// unreadable those that are damaged.
Status VisitCompressedRecords(SegmentSet& segments, StorageVisitor& visitor);

}  // namespace turnlog
