#include "sanitize/secrets/layers.h"

#include <algorithm>
#include <vector>

#include "base/utf8.h"
#include "sanitize/secrets/base64_runs.h"
#include "sanitize/secrets/escapes.h"

namespace turnlog {
namespace {

// How many encodings are decoded on the way to a layer. JSON within JSON within JSON is common where tools call tools;
// base64 within base64 occurs in practice, too.
constexpr int kMaxEscapes = 4;
constexpr int kMaxBase64 = 2;

// Length of the character at text[at] if it may occur in plain text, otherwise 0.
std::size_t CharacterLength(std::string_view text, std::size_t at) {
  const char letter = text[at];
  if (letter >= ' ' && letter <= '~') return 1;
  if (letter == '\n' || letter == '\t' || letter == '\r') return 1;
  constexpr char kFirstLead = '\xc2';  // most of what is not text is refused by this alone
  if (static_cast<unsigned char>(letter) < static_cast<unsigned char>(kFirstLead)) return 0;
  const auto code = DecodeUtf8(text.substr(at));
  return code ? code->bytes : 0;
}

std::size_t SkipCharacters(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::size_t length = CharacterLength(text, at);
    if (length == 0) break;
    at += length;
  }
  return at;
}

// The stretches of at least `min_bytes` bytes of plain text, with a line break in place of what is between them.
DecodedText TextParts(std::string_view text, std::size_t min_bytes) {
  DecodedText parts(text.size());
  std::size_t taken = 0;  // end of what was copied or skipped
  for (std::size_t end = 0; end < text.size(); ++end) {
    const std::size_t begin = end;
    end = SkipCharacters(text, begin);
    if (end - begin < min_bytes) continue;
    if (taken < begin) {
      const std::size_t line_break = parts.size();
      parts.Append('\n');
      parts.EndSpan(line_break, {taken, begin});
    }
    parts.Append(text.substr(begin, end - begin));
    taken = end;
  }
  return parts;
}

class Visitor {
 public:
  Visitor(const LayerOptions& options, const std::function<void(const Layer&)>& on_layer)
      : options_(options), on_layer_(on_layer) {}

  // Visits the layer and those decoded from it. `undone`: its DecodedText, if it came from decoding escapes.
  void Visit(const Layer& layer, const DecodedText* undone, int escapes, int base64) {
    on_layer_(layer);
    Descend(layer, undone, escapes, base64);
  }

 private:
  void Descend(const Layer& layer, const DecodedText* undone, int escapes, int base64) {
    if (base64 < kMaxBase64) VisitBase64(layer, undone, escapes, base64);
    if (escapes == kMaxEscapes) return;
    if (!options_.kinds_apart) return VisitEscapes(layer, EscapeKind::kAny, escapes, base64);
    VisitEscapes(layer, EscapeKind::kBackslash, escapes, base64);
    VisitEscapes(layer, EscapeKind::kPercent, escapes, base64);
  }

  void VisitEscapes(const Layer& layer, EscapeKind kind, int escapes, int base64) {
    const auto reading = UndoEscapes(layer.text(), kind);
    if (reading) Visit(Layer(*reading, layer), &*reading, escapes + 1, base64);
  }

  void VisitBase64(const Layer& layer, const DecodedText* undone, int escapes, int base64) {
    std::vector<TextSpan> runs = FindBase64Runs(layer.text(), options_.min_bytes);
    // A run without an escape was already visited in the previous layer.
    if (undone != nullptr)
      std::erase_if(runs, [&](const TextSpan& run) { return undone->Source(run).size() == run.size(); });
    for (std::size_t phase = 0; phase < kBase64Phases && !runs.empty(); ++phase) {
      const DecodedText reading = DecodeBase64Runs(layer.text(), runs, phase);
      const Layer decoded(reading, layer);
      on_layer_(decoded);
      // Most of it is noise, because most runs are words. Further encodings can only be in parts that are text.
      const DecodedText parts = TextParts(reading.text(), options_.min_bytes);
      if (parts.size() > 0) Descend(Layer(parts, decoded), nullptr, escapes, base64 + 1);
    }
  }

  const LayerOptions& options_;
  const std::function<void(const Layer&)>& on_layer_;
};

}  // namespace

TextSpan Layer::AtBottom(TextSpan span) const {
  const TextSpan whole = WholeEscapes(text_, span);
  return below_ == nullptr ? whole : below_->AtBottom(reading_->Source(whole));
}

void ForEachLayer(std::string_view text, const LayerOptions& options,
                  const std::function<void(const Layer&)>& on_layer) {
  Visitor(options, on_layer).Visit(Layer(text), nullptr, 0, 0);
}

}  // namespace turnlog
