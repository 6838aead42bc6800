// Searches one conversation.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>

#include "search/pattern.h"
#include "turnlog/search.h"

namespace turnlog {

class ConversationSearch {
 public:
  // Called with an event or damage; returning false ends the search.
  using OnFoundHere = std::function<bool(std::variant<FoundEvent, Damage>&& found)>;

  // Everything passed in must outlive this.
  ConversationSearch(const Pattern& pattern, const SearchOptions& options, const OnFoundHere& on_found);

  // Reads to the end, or until `limit_each` is reached. No error if there is no such conversation.
  Status Run(Log& log, const ConversationId& conversation);

  std::uint64_t events() const { return events_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  // All three return whether to continue.
  Result<bool> Visit(const Item& item);
  Result<bool> VisitRecord(const Record& record);
  Result<bool> VisitDecoded(const Record& record, const EventView& event, bool candidate);

  bool full() const { return matches_ >= options_.limit_each; }  // only context after the last match is still missing
  bool InScope(const EventView& event, std::string_view tool) const;
  // The name of the tool that an event belongs to. A result names it only by the id of its call.
  std::string_view ToolOf(const EventView& event) const;
  void NoteCall(const EventView& event);
  bool GiveMatch(FoundEvent event);
  bool GiveContext(FoundEvent event);

  const Pattern& pattern_;
  const SearchOptions& options_;
  const OnFoundHere& on_found_;

  std::uint64_t events_ = 0, bytes_ = 0, matches_ = 0;
  Turn turn_;
  std::unordered_map<std::string, std::string> tools_;  // id of a call in this turn -> name
  std::deque<FoundEvent> before_;                       // not returned yet
  std::size_t after_ = 0;                               // events still to be returned after a match
  bool skipped_ = false;                                // events were skipped since the last one returned
};

}  // namespace turnlog
