// The results of a search, as text or as one JSON document.
#pragma once

#include <cstdint>
#include <memory>

#include "logctl/output.h"
#include "turnlog/search.h"

namespace turnlog {

class SearchReport {
 public:
  enum class Shape : std::uint8_t { kEvents, kCounts, kConversations };

  virtual ~SearchReport() = default;
  virtual void Add(const FoundEvent& event) = 0;
  virtual void Add(const Damage& damage) = 0;
  virtual void Finish(const SearchTotals& totals) = 0;
};

// `context`: events around the matches are printed too, in groups.
std::unique_ptr<SearchReport> SearchReportAsText(Output& out, SearchReport::Shape shape, bool context);
std::unique_ptr<SearchReport> SearchReportAsJson(Output& out, SearchReport::Shape shape);

}  // namespace turnlog
