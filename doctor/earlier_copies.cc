#include "doctor/earlier_copies.h"

#include <string_view>
#include <system_error>
#include <vector>

#include "base/file_system.h"
#include "doctor/real_path.h"
#include "doctor/replace_file.h"
#include "turnlog/doctor/doctor.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

// Whether doctor has made it of one of the files.
bool IsCopyOf(const std::set<std::string>& files, std::string_view name) {
  if (name.starts_with('.') && name.ends_with(".new")) {
    name.remove_prefix(1);
  } else if (!name.ends_with(kBackupSuffix) && !name.ends_with(kMendedSuffix)) {
    return false;
  }
  for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos; dot = name.rfind('.')) {
    name = name.substr(0, dot);
    if (files.contains(std::string(name))) return true;
  }
  return false;
}

}  // namespace

NamesByFolder NamesOfFiles(std::span<const FoundSource> sources) {
  NamesByFolder files;
  for (const FoundSource& found : sources) {
    std::vector<ImportProblem> ignored;
    std::error_code error;
    const auto source = LoadSource(found, ignored);
    if (!source) continue;
    for (const SourceFile& file : source->files) {
      const fs::path path = NormalPath(fs::absolute(file.path(), error));
      std::set<std::string>& names = files[path.parent_path()];
      names.insert(path.filename());
      if (path.extension() == ".zst") names.insert(path.stem());  // copies are not compressed
      if (found.format->name == "claude-code") names.insert("sessions-index.json");
    }
  }
  return files;
}

std::set<fs::path> FindEarlierCopies(const NamesByFolder& files) {
  std::set<fs::path> copies;
  for (const auto& [folder, names] : files) {
    for (const std::string& name : PosixFileSystem().List(folder).value_or(std::vector<std::string>())) {
      if (IsCopyOf(names, name)) copies.insert(folder / name);
    }
  }
  return copies;
}

}  // namespace turnlog
