// What the small files of a folder belong to. Many sources may have files in one folder: it is read once for all.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "migrate/sources/file_stamp.h"

namespace turnlog {

// Any thread may use it.
class FolderIndexes {
 public:
  // Names of JSON files in order, by the text of a field. Empty: files without it.
  using Index = std::map<std::string, std::vector<std::string>, std::less<>>;

  // The regular files in `folder` whose names end with ".json". Made again when the folder has changed.
  std::shared_ptr<const Index> Find(const std::filesystem::path& folder, std::string_view field);

 private:
  struct Known {
    FileStamp stamp;  // of the folder
    std::shared_ptr<const Index> index;
  };

  std::mutex mutex_;
  std::map<std::pair<std::filesystem::path, std::string>, Known> known_;
};

}  // namespace turnlog
