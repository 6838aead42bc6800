// Imports as Import does, with limits of a few events.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "migrate/import/source_import.h"
#include "migrate/sources/find_sources.h"
#include "turnlog/migrate/import.h"
#include "turnlog/segment_log.h"

namespace turnlog {

inline SegmentOptions SmallSegments() {
  SegmentOptions options;
  options.segment_bytes = 1 << 20;
  return options;
}

// `readers`: 0 for one thread that does all.
inline ImportReport ImportSmall(Log& log, std::string_view format, const std::filesystem::path& path,
                                unsigned readers = 1) {
  ImportRun run(log, {.append_bytes = 16 << 10,
                      .waiting_bytes = 48 << 10,
                      .kept_bytes = 64 << 10,
                      .unwritten_bytes = 2 << 10,
                      .open = 1'000});
  run.readers = readers;
  FoundSources found = FindSources({&path, 1}, FindFormat(format));
  for (const FoundSource& one : found.sources) {
    auto source = LoadSource(one, run.report().notes);
    if (!source) throw std::runtime_error(source.error().message);
    const Status status = SourceImport(run, *one.format, *source).Import();
    if (!status) throw std::runtime_error(status.error().message);
  }
  auto report = run.Finish();
  if (!report) throw std::runtime_error(report.error().message);
  return *std::move(report);
}

}  // namespace turnlog
