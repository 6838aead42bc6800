#include "tests/log_conformance/engine.h"
#include "tests/log_conformance/segment_engine.h"

namespace turnlog {

std::vector<Engine> Engines() { return {SegmentEngine()}; }

}  // namespace turnlog
