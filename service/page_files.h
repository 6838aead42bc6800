// The files of the page (service/page/), compiled in.
#pragma once

#include <span>
#include <string_view>

namespace turnlog {

struct PageFile {
  std::string_view name, content;
};

// page_files.cc is written by cmake/WritePageFiles.cmake.
std::span<const PageFile> PageFiles();

}  // namespace turnlog
