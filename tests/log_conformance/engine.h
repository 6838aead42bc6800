// The engines that the suite runs over. A new one passes by adding its factory to Engines().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "turnlog/log.h"

namespace turnlog {

// A store of its own for one test, gone with it.
class EngineStore {
 public:
  virtual ~EngineStore() = default;

  virtual Result<std::unique_ptr<Log>> Open(OpenMode mode) = 0;
  // Leaves the store as it is when the process of `writer` dies now. Other handles must be gone.
  virtual void Kill(std::unique_ptr<Log> writer) = 0;
  // Loses everything that the engine can derive from the events again, if there is anything. No handle is open.
  virtual void LoseDerived() = 0;
  // The engine's own check of the store: empty, or what is wrong.
  virtual std::string Check() = 0;
};

struct Engine {
  std::string name;
  // From a seed other than 0 come other limits for each Open, so small that the engine has to work at its borders.
  std::function<std::unique_ptr<EngineStore>(std::uint64_t seed)> make;
};

std::vector<Engine> Engines();

inline void PrintTo(const Engine& engine, std::ostream* out) { *out << engine.name; }

}  // namespace turnlog
