// A compiled search pattern: a fast test on encoded records, and the matching lines of a text.
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

  // False only if no text of the event encoded in `payload` can match. Several times faster than decoding it and
  // matching each text.
  bool MayBeIn(std::string_view payload) const;

  // Calls `on_line` with each matching line of `text`, without its line break, in order. False from `on_line` stops.
  using OnLine = std::function<bool(std::string_view line, std::vector<MatchSpan> matches)>;
  void ForEachLine(std::string_view text, const OnLine& on_line) const;

 private:
  Pattern();

  std::unique_ptr<re2::RE2> matcher_;
  // At most one of these: text that every matching record contains.
  std::optional<std::string> needle_;
  std::unique_ptr<re2::RE2> needles_;
};

}  // namespace turnlog
