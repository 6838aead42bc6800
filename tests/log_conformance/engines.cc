#include <iostream>

#include "tests/log_conformance/engine.h"
#include "tests/log_conformance/segment_engine.h"
#include "tests/log_conformance/service_engine.h"
#include "tests/log_conformance/sql_engine.h"
#include "tests/support/postgres_server.h"

namespace turnlog {

std::vector<TestedEngine> Engines() {
  std::vector<TestedEngine> engines{SegmentEngine(), CompressedSegmentEngine(), ServiceEngine()};
  if (PostgresServer::IsInstalled()) {
    engines.push_back(SqlEngine());
  } else {
    std::cerr << "Without the SQL engine: " << PostgresServer::kMissing << '\n';
  }
  return engines;
}

}  // namespace turnlog
