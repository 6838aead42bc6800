// What is searched for, compiled: a fast look at an encoded record, and the lines of a text that match.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "turnlog/search.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace turnlog {

// May be used by several threads at once.
class Pattern {
 public:
  static Result<Pattern> Compile(const SearchPattern& pattern);
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  // False only if no text of the event that is encoded in `payload` can match. Several times faster than decoding it
  // and looking at each text.
  bool MayBeIn(std::string_view payload) const;

  // Calls `on_line` with each matching line of `text`, without its line break, in order. False from `on_line` stops.
  using OnLine = std::function<bool(std::string_view line, std::vector<MatchSpan> matches)>;
  void ForEachLine(std::string_view text, const OnLine& on_line) const;

 private:
  Pattern();

  std::unique_ptr<re2::RE2> matcher_;
  // At most one of these: letters that a record with a match has.
  std::optional<std::string> needle_;
  std::unique_ptr<re2::RE2> needles_;
};

}  // namespace turnlog
