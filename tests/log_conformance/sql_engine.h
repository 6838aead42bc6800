#pragma once

#include "tests/log_conformance/engine.h"

namespace turnlog {

TestedEngine SqlEngine();

}  // namespace turnlog
