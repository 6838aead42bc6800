// What is new in a source that was imported before.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "migrate/format.h"
#include "migrate/records/record_source.h"

namespace turnlog {

class SourceRest {
 public:
  // The files of the source, or groups of rows of a database, with where to begin in each.
  explicit SourceRest(std::vector<RecordFile> files);

  std::size_t files() const { return begins_.size(); }
  // For one reading. REQUIRES: the format and the source are those of the files.
  std::vector<RecordFile> Take(const Format& format, Source& source);

 private:
  struct Begin {
    std::optional<RecordStart> start;
    bool skipped = false, keeps_copies = false;
  };

  std::vector<Begin> begins_;
  std::vector<RecordFile> files_;  // for the first reading
};

}  // namespace turnlog
