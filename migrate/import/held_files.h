// Keeps files open, so that what was written to one before it was removed can still be read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>

#include "migrate/import/descriptor.h"
#include "migrate/import/source.h"

namespace turnlog {

class HeldFiles {
 public:
  // Holds the files of the source, as far as the limit of the process allows. The source then reads the held ones,
  // also if they are removed meanwhile.
  void Hold(Source& source);
  // Adds the files of the source that have been removed since they were held, and lets go of them. `source` has the
  // files that are there.
  void AddRemoved(Source& source, const std::filesystem::path& main, const std::filesystem::path& companions);

 private:
  std::map<std::filesystem::path, std::shared_ptr<Descriptor>> open_;
};

}  // namespace turnlog
