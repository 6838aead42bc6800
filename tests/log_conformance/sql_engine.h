#pragma once

#include "tests/log_conformance/engine.h"

namespace turnlog {

Engine SqlEngine();

}  // namespace turnlog
