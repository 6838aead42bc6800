#include "doctor/copy_mark.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
#include <string>
#include <string_view>

namespace turnlog {
namespace {

constexpr const char* kAttribute = "user.turnlog.mended";

// Empty if there is no such file.
std::string MarkOf(const std::filesystem::path& copy) {
  struct stat info = {};
  if (::lstat(copy.c_str(), &info) != 0) return {};
  return fmt::format("{} {} {}.{:09}", info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

}  // namespace

void MarkCopy(const std::filesystem::path& copy) {
  const std::string mark = MarkOf(copy);
  (void)::lsetxattr(copy.c_str(), kAttribute, mark.data(), mark.size(), 0);
}

bool HasCopyMark(const std::filesystem::path& copy) {
  std::array<char, 128> mark{};
  const ssize_t size = ::lgetxattr(copy.c_str(), kAttribute, mark.data(), mark.size());
  return size > 0 && std::string_view(mark.data(), static_cast<std::size_t>(size)) == MarkOf(copy);
}

}  // namespace turnlog
