#include "migrate/logged/removed_texts.h"

#include "sanitize/redaction/redacted_text.h"

namespace turnlog {

std::optional<std::vector<std::string_view>> RemovedTexts(std::string_view redacted, std::string_view original) {
  std::vector<std::string_view> removed;
  for (std::size_t mark; (mark = redacted.find(kRedactionMark)) != std::string_view::npos;) {
    if (!original.starts_with(redacted.substr(0, mark))) return std::nullopt;
    original.remove_prefix(mark);
    redacted.remove_prefix(mark + kRedactionMark.size());
    const std::string_view next = redacted.substr(0, redacted.find(kRedactionMark));
    const std::size_t end = next.size() == redacted.size() ? original.rfind(next) : original.find(next);
    if (end == std::string_view::npos) return std::nullopt;
    removed.push_back(original.substr(0, end));
    original.remove_prefix(end);
  }
  return redacted == original ? std::optional(std::move(removed)) : std::nullopt;
}

}  // namespace turnlog
