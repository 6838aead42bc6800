#include "migrate/records/document.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "migrate/records/list_reader.h"
#include "migrate/records/probe_records.h"

namespace turnlog {

Match MatchDocument(const FileProbe& probe, std::span<const std::string_view> lists,
                    bool (*is_own)(const JsonObject& record)) {
  if (!probe.name.ends_with(".json")) return Match::kNo;
  return std::ranges::any_of(FirstRecords(probe.head, lists, is_own), is_own) ? Match::kByContent : Match::kByName;
}

std::unique_ptr<SourceReader> ReadDocument(std::string_view format, Source& source,
                                           std::unique_ptr<RecordConverter> converter,
                                           std::span<const std::string_view> lists) {
  SourceFile& file = source.files.front();
  std::vector<RecordFile> files;
  files.push_back({&file, IdOfFile(file.name()), std::move(converter), {}, lists});
  return std::make_unique<RecordSource>(format, std::move(files));
}

}  // namespace turnlog
