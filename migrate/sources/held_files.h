// Keeps files open, so that what was written to one before it was removed or replaced can still be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "migrate/sources/descriptor.h"
#include "migrate/sources/file_stamp.h"
#include "migrate/sources/source.h"

namespace turnlog {

class HeldFiles {
 public:
  // As many files as the limit of the process allows.
  HeldFiles();
  explicit HeldFiles(std::size_t most) : most_(most) {}

  // The source as it was held, if something was written to a file of it that has been removed or replaced since. `now`
  // has the files that are there. Lets go of the others.
  std::optional<Source> TakeLost(const Source& now);
  // Holds the files of the source; of too many, those that were changed last. The source then reads the held ones, also
  // if they are removed or replaced meanwhile. False: one that is not held has gone since they were listed.
  bool Hold(Source& source);

 private:
  struct Held {
    std::shared_ptr<Descriptor> file;
    FileStamp stamp;  // when the source was held
  };
  struct FileName {
    std::string name;
    std::filesystem::path path;
  };

  void HoldFile(const std::filesystem::path& path);
  bool MakeRoom(std::int64_t changed);
  void LetGo(const std::filesystem::path& path);

  const std::size_t most_;
  std::map<std::filesystem::path, Held> held_;
  std::set<std::pair<std::int64_t, std::filesystem::path>> by_change_;  // the held files, by the time of their stamps
  std::map<std::filesystem::path, std::vector<FileName>> files_of_;     // the sources, by their paths
};

}  // namespace turnlog
