// A text and all its decoded layers: escapes within escapes, base64 in any of these, and again within that. A search
// runs over each layer and maps its matches back to the text.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "sanitize/secrets/decoded_base64.h"
#include "sanitize/secrets/decoded_text.h"
#include "sanitize/secrets/escaped_joins.h"
#include "sanitize/secrets/joined_text.h"

namespace turnlog {

class Layer {
 public:
  explicit Layer(std::string_view text) : text_(text) {}
  // Decoded from the part of the layer below that begins at `part`. `cut`: that layer goes on after it.
  Layer(const DecodedText& reading, const Layer& below, std::size_t part = 0, bool cut = false)
      : text_(reading.text()), reading_(&reading), below_(&below), part_(part), cut_(cut) {}
  Layer(const DecodedRuns& runs, const Layer& below) : Layer(runs.decoded, below) { runs_ = &runs; }

  std::string_view text() const { return text_; }
  // Long parts of it that are base64 of text, in order: what is decoded from them is searched in a layer of its own.
  const std::vector<TextSpan>& encoded_texts() const { return encoded_texts_; }
  void SetEncodedTexts(std::vector<TextSpan> texts) { encoded_texts_ = std::move(texts); }
  // The part of the original text to remove so that `span` of this layer is gone: whole escapes, whole base64 texts.
  TextSpan AtBottom(TextSpan span) const;

  // Where a search has found something from which a secret may be read: escapes around it are decoded in any case.
  void NoteHit(TextSpan span) { hits_.insert(hits_.end(), {span.begin, span.end - 1}); }
  void SortHits();
  bool has_hits() const { return !hits_.empty(); }
  // REQUIRES: SortHits.
  bool HasHitIn(TextSpan part) const;

  // Whether the text goes on where this layer ends. If what is found there may, too: asks for a layer with more of it.
  bool is_cut() const { return cut_; }
  void AskForMore() { more_ = cut_; }
  bool asks_for_more() const { return more_; }

 private:
  std::string_view text_;
  std::vector<TextSpan> encoded_texts_;
  const DecodedText* reading_ = nullptr;
  const Layer* below_ = nullptr;
  std::size_t part_ = 0;
  const DecodedRuns* runs_ = nullptr;  // if it is base64
  bool cut_ = false, more_ = false;
  std::vector<std::size_t> hits_;  // where they begin and end
};

struct LayerOptions {
  std::size_t min_bytes = 1;  // decode base64 of at least so many bytes
  // Skip base64 that holds no stretch of `min_bytes` bytes of ASCII text, nor of UTF-16 if that is looked for: for
  // searches that find nothing else.
  bool ascii_only = false;
  bool utf16 = false;
  // Decode backslashes, percent signs and entities also separately, in any order: for searches for values that contain
  // one of them. Takes several times longer if a text has more than one.
  bool kinds_apart = false;
  // Also decompress base64, and join what line breaks, colors and invisible characters split (see JoinLines). If not,
  // only what terminals color is joined.
  bool thorough = false;
  bool without_blanks = false;         // if thorough: also without any blanks
  const LetterGrams* grams = nullptr;  // if thorough: join only what makes one of these
  // Escapes are decoded with at least so much text around them, up to the next blanks or quotes: what is searched for
  // has no longer piece without an escape, or asks for more. Other text is the same in the layer below.
  std::size_t around = 512;
  // Text with only plain escapes (HasOnlyPlainEscapes) is decoded where a hit is, and nowhere else: what the search
  // reads secrets from is a hit, and one in such a text is one in the layer above as well; or it looks for nothing that
  // such an escape stands for. Joins that may appear there count as hits. REQUIRES: if thorough, `grams` and their
  // joins.
  bool plain_escapes_at_hits = false;
  const EscapedJoins* escaped_joins = nullptr;
};

// Calls `on_layer` for the text and each decoded layer, of which there are several for the same encoding if there is
// much text between escapes. Layers are wiped when the call returns. Time: linear in the text; for text without any
// encoding only a scan for base64 and escapes.
void ForEachLayer(std::string_view text, const LayerOptions& options, const std::function<void(Layer&)>& on_layer);

// Where base64 begins that ForEachLayer may decode something from.
std::vector<std::size_t> FindBase64(std::string_view text, const LayerOptions& options);

}  // namespace turnlog
