#pragma once

#include "tests/log_conformance/engine.h"

namespace turnlog {

// The store of a segment engine, served in this process and used through its socket.
TestedEngine ServiceEngine();

}  // namespace turnlog
