#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "turnlog/migrate/import.h"

namespace turnlog {

// How far the lists of a report go, to take back what comes after.
class ReportedSoFar {
 public:
  explicit ReportedSoFar(const ImportReport& report)
      : problems_(report.problems.size()), notes_(report.notes.size()), bytes_(report.bytes.size()) {}
  void Return(ImportReport& report) const {
    report.problems.resize(problems_);
    report.notes.resize(notes_);
    report.bytes.resize(bytes_);
  }
  bool HasSince(const ImportReport& report, ImportProblemCode code) const {
    const auto since = std::span(report.problems).subspan(problems_);
    return std::ranges::find(since, code, &ImportProblem::code) != since.end();
  }

 private:
  std::size_t problems_, notes_, bytes_;
};

}  // namespace turnlog
