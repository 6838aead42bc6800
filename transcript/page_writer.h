// The documents that a transcript can be. A writer has no state but what it was made with.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "transcript/entry.h"

namespace turnlog {

struct PageLinks {
  std::string previous, next;  // file names; empty: none
};

class PageWriter {
 public:
  virtual ~PageWriter() = default;
  virtual std::string Begin(std::string_view conversation, std::size_t page, const PageLinks& links) const = 0;
  virtual std::string Turn(const TranscriptTurn& turn) const = 0;
  // `footer`: sentences about the whole document.
  virtual std::string End(std::string_view footer, const PageLinks& links) const = 0;
};

std::unique_ptr<PageWriter> MarkdownWriter();
std::unique_ptr<PageWriter> HtmlWriter();

// Every line of a text, with what is not safe to show made visible. `text` may be anything.
std::string SafeLines(std::string_view text);

}  // namespace turnlog
