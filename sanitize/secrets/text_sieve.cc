#include "sanitize/secrets/text_sieve.h"

#include <algorithm>

#include "sanitize/secrets/byte_set.h"
#include "sanitize/secrets/escapes.h"
#include "sanitize/secrets/layers.h"
#include "sanitize/secrets/text_bytes.h"

namespace turnlog {
namespace {

// No letter of base64, and base64 ends before it as it does at the end of a text.
constexpr char kBetween = '"';

}  // namespace

void TextSieve::Add(std::string_view text) {
  joined_ += text;
  ends_.push_back(joined_.size());
  joined_ += kBetween;
}

std::size_t TextSieve::TextAt(std::size_t at) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(ends_, at) - ends_.begin());
}

// What a detector finds begins with a keyword: in the text, or in what is decoded from it.
void TextSieve::Mark() {
  const LayerOptions options = detector_->layer_options();
  const std::string_view joined = joined_;
  marked_.assign(ends_.size(), false);
  detector_->ForEachKeyword(joined, [&](std::size_t at) { marked_[TextAt(at)] = true; });
  for (const std::size_t at : FindBase64(joined, options)) marked_[TextAt(at)] = true;

  static const ByteSet signs(std::string("\\%&").append(1, kTerminalEscape));
  ByteSearch search(signs, joined);
  for (std::size_t at = search.Next(0); at < joined.size();) {
    const std::size_t number = TextAt(at), begin = number == 0 ? 0 : ends_[number - 1] + 1;
    const std::string_view text = joined.substr(begin, ends_[number] - begin);
    if (!options.plain_escapes_at_hits || text.contains(kTerminalEscape) || !HasOnlyPlainEscapes(text))
      marked_[number] = true;
    at = search.Next(ends_[number]);
  }
}

}  // namespace turnlog
