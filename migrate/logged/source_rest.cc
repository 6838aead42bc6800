#include "migrate/logged/source_rest.h"

#include <utility>

namespace turnlog {

SourceRest::SourceRest(std::vector<RecordFile> files) : files_(std::move(files)) {
  for (const RecordFile& file : files_) begins_.push_back({file.start, file.skipped, file.keeps_copies});
}

std::vector<RecordFile> SourceRest::Take(const Format& format, Source& source) {
  std::vector<RecordFile> files = std::exchange(files_, {});
  if (files.empty()) files = format.import.record_files(source);
  for (std::size_t i = 0; i < files.size() && i < begins_.size(); ++i) {
    files[i].start = begins_[i].start;
    files[i].skipped = begins_[i].skipped;
    files[i].keeps_copies = begins_[i].keeps_copies;
  }
  return files;
}

}  // namespace turnlog
