// Which sources of an import must not be read at once, and in which order: those of one conversation, and those that
// begin with a copy of another one.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "migrate/sources/find_sources.h"
#include "turnlog/log.h"

namespace turnlog {

using SourceGroup = std::vector<std::size_t>;  // of sources that must not run at once, in order

struct SourceGroups {
  std::vector<SourceGroup> parallel;
  SourceGroup others;                            // any of them may have conversations of any source
  std::map<std::size_t, std::size_t> same_name;  // sources of a conversation that another one comes before
};

// By the numbers of the sources.
SourceGroups GroupSources(Log& log, const std::vector<FoundSource>& sources);

}  // namespace turnlog
