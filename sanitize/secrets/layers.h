// A text and everything that it says underneath its encodings: escapes within escapes, base64 in any of these, and
// again within that. Whoever looks for something looks at each layer in plain, and asks where in the text a find
// stands.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "sanitize/secrets/decoded_text.h"

namespace turnlog {

class Layer {
 public:
  explicit Layer(std::string_view text) : text_(text) {}
  Layer(const DecodedText& reading, const Layer& below) : text_(reading.text()), reading_(&reading), below_(&below) {}

  std::string_view text() const { return text_; }
  // What has to go from the text at the bottom so that `span` of this layer goes: whole escapes, whole base64 texts.
  TextSpan AtBottom(TextSpan span) const;

 private:
  std::string_view text_;
  const DecodedText* reading_ = nullptr;
  const Layer* below_ = nullptr;
};

struct LayerOptions {
  std::size_t min_bytes = 1;  // base64 is undone where it may hold so many or more
  // Undo backslashes and per cent signs also without each other, in any order: for those who look for something that
  // has either in it. Takes several times longer where a text has both.
  bool kinds_apart = false;
};

// Calls `on_layer` for the text and each layer underneath. Layers go when the call returns, and are wiped. Time: linear
// in the text; for text without any encoding not more than looking for base64 takes.
void ForEachLayer(std::string_view text, const LayerOptions& options,
                  const std::function<void(const Layer&)>& on_layer);

}  // namespace turnlog
