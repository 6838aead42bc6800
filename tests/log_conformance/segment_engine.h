#pragma once

#include "tests/log_conformance/engine.h"

namespace turnlog {

TestedEngine SegmentEngine();
// One that compresses, in one of the ways or another after each opening.
TestedEngine CompressedSegmentEngine();

}  // namespace turnlog
