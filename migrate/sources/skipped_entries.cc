#include "migrate/sources/skipped_entries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>

#include "migrate/sources/folder_entries.h"
#include "migrate/sources/source_reader.h"

namespace turnlog {
namespace {

namespace fs = std::filesystem;

struct FileSum {
  std::uint64_t files = 0, bytes = 0;

  void Add(const fs::path& file) {
    std::error_code error;
    const std::uint64_t size = fs::file_size(file, error);
    if (error) return;
    ++files;
    bytes += size;
  }
};

// Of files and folders in `folder`.
FileSum SumOf(const fs::path& folder, std::span<const std::string> names) {
  FileSum sum;
  for (const std::string& name : names) {
    const auto entries = ListEntries(folder / name);
    if (!entries) {
      sum.Add(folder / name);
      continue;
    }
    for (const std::string& file : entries->files) sum.Add(folder / name / file);
  }
  return sum;
}

std::string_view Files(std::uint64_t count) { return count == 1 ? "file" : "files"; }

}  // namespace

ImportProblem Skipped(const fs::path& path, std::string reason) {
  return At({path.native()}, {ImportProblemCode::kSkipped, std::move(reason)});
}

std::string SomeOf(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  const std::span named = std::span(names).first(std::min(names.size(), kNamed));
  return fmt::format("{}{}", fmt::join(named, ", "), names.size() > kNamed ? ", ..." : "");
}

std::optional<ImportProblem> SkippedFiles(const fs::path& folder, const std::vector<std::string>& files,
                                          std::string_view sought) {
  if (files.empty()) return std::nullopt;
  return Skipped(folder,
                 fmt::format("not of {}: {} {} ({})", sought, files.size(), Files(files.size()), SomeOf(files)));
}

std::optional<ImportProblem> SkippedUnowned(const fs::path& folder, const std::vector<std::string>& names,
                                            std::string_view format) {
  const FileSum sum = SumOf(folder, names);
  if (sum.files == 0) return std::nullopt;
  return Skipped(folder, fmt::format("of no session or message that is there: {} {} of {}, {} bytes ({})", sum.files,
                                     Files(sum.files), format, sum.bytes, SomeOf(names)));
}

std::optional<ImportProblem> SkippedLinks(const fs::path& folder, const std::vector<std::string>& names) {
  if (names.empty()) return std::nullopt;
  const std::string_view what = names.size() == 1 ? "a symbolic link to a folder" : "symbolic links to folders";
  return Skipped(folder, fmt::format("{} ({}): not followed; name it as a PATH", what, SomeOf(names)));
}

}  // namespace turnlog
