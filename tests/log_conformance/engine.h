// The engines under test. Add the factory of a new engine to Engines().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

// A store for one test, removed at its end.
class EngineStore {
 public:
  virtual ~EngineStore() = default;

  virtual Result<std::unique_ptr<Log>> Open(OpenMode mode) = 0;
  // Leaves the store as if the process of `writer` died now. REQUIRES: no other handles.
  virtual void Kill(std::unique_ptr<Log> writer) = 0;
  // Deletes all data that the engine can derive from the events. REQUIRES: no handle is open.
  virtual void LoseDerived() = 0;
  // The engine's own check of the store: empty, or an error.
  virtual std::string Check() = 0;
};

struct TestedEngine {
  std::string name;
  // A seed other than 0 gives other limits for each Open, so small that the engine often reaches them.
  std::function<std::unique_ptr<EngineStore>(std::uint64_t seed)> make;
  // A cursor may have fetched events from another process before they were destroyed.
  bool cursors_fetch_ahead = false;
};

std::vector<TestedEngine> Engines();

inline void PrintTo(const TestedEngine& engine, std::ostream* out) { *out << engine.name; }

}  // namespace turnlog
