#include "sanitize/secrets/layers.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/utf8.h"
#include "sanitize/secrets/ascii_in_base64.h"
#include "sanitize/secrets/base64_runs.h"
#include "sanitize/secrets/compressed_runs.h"
#include "sanitize/secrets/escaped_joins.h"
#include "sanitize/secrets/escapes.h"
#include "sanitize/secrets/joined_text.h"
#include "sanitize/secrets/text_bytes.h"

namespace turnlog {
namespace {

constexpr int kMaxBase64 = 2;            // on the way to a layer: base64 within base64 occurs in practice
constexpr std::size_t kMoreAround = 64;  // times as much text around a part that asks for more: linear time

// Length of the character at text[at] if it may occur in plain text, otherwise 0.
std::size_t CharacterLength(std::string_view text, std::size_t at) {
  const char letter = text[at];
  if (letter >= ' ' && letter <= '~') return 1;
  if (letter == '\n' || letter == '\t' || letter == '\r') return 1;
  constexpr unsigned char kFirstLead = 0xc2, kTopBits = 0xc0, kFollowing = 0x80;
  const auto lead = static_cast<unsigned char>(letter);
  // Most of what is not text is refused by these alone.
  if (lead < kFirstLead || at + 1 == text.size()) return 0;
  if ((static_cast<unsigned char>(text[at + 1]) & kTopBits) != kFollowing) return 0;
  const auto code = DecodeUtf8(text.substr(at));
  return code ? code->bytes : 0;
}

std::size_t SkipCharacters(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::size_t length = CharacterLength(text, at);
    if (length == 0) break;
    at = length == 1 ? SkipPlainAscii(text, at + 1) : at + length;
  }
  return at;
}

// The stretches of at least `min_bytes` bytes of plain text, with a line break in place of what is between them.
DecodedText TextParts(std::string_view text, std::size_t min_bytes) {
  constexpr std::size_t kWorthChecking = 4;
  DecodedText parts(text.size());
  std::size_t taken = 0;  // end of what was copied or skipped
  for (std::size_t at = 0; at + min_bytes <= text.size();) {
    // A stretch from `at` on has no such byte: checking backwards skips most of what is not text.
    const std::size_t begin = min_bytes >= kWorthChecking ? SkipLastNonText(text, at, min_bytes) : at;
    const std::size_t end = begin > at ? begin : SkipCharacters(text, at);
    if (begin == at && end - at >= min_bytes) {
      if (taken < at) {
        const std::size_t line_break = parts.size();
        parts.Append('\n');
        parts.EndSpan(line_break, {taken, at});
      }
      parts.Append(text.substr(at, end - at));
      taken = end;
    }
    at = std::max(at + 1, begin == at ? end + 1 : begin);
  }
  return parts;
}

class Visitor {
 public:
  Visitor(const LayerOptions& options, const std::function<void(Layer&)>& on_layer)
      : options_(options), on_layer_(on_layer) {}

  std::vector<std::size_t> FindBase64(std::string_view text) const {
    std::vector<std::size_t> places;
    AsciiInBase64 ascii(text);
    for (const TextSpan& run : FindBase64Runs(text, Contents())) {
      if (MayGoOnAfterEscape(text, run) || PlausiblePhases(ascii, run) != 0) places.push_back(run.begin);
    }
    return places;
  }

  // Visits the layer and those decoded from it. `undone`: its DecodedText, if it came from decoding escapes.
  void Visit(Layer& layer, const DecodedText* undone, int escapes, int base64) {
    std::vector<TextSpan> runs = FindRuns(layer, undone, base64);
    layer.SetEncodedTexts(TakeTexts(layer.text(), runs));
    if (options_.thorough && options_.plain_escapes_at_hits) NoteJoins(layer);
    on_layer_(layer);
    layer.SortHits();
    VisitTexts(layer, escapes, base64);
    Descend(layer, runs, escapes, base64, options_.plain_escapes_at_hits);
  }

 private:
  // `has_hits`: those of the layer are known, if there are any.
  void Descend(Layer& layer, std::span<const TextSpan> runs, int escapes, int base64, bool has_hits) {
    if (options_.thorough) VisitJoined(layer, Blanks::kKept);
    if (options_.thorough && options_.without_blanks) VisitJoined(layer, Blanks::kLeftOut);
    if (!options_.thorough) VisitUncolored(layer);
    VisitBase64(layer, runs, escapes, base64);
    if (escapes == kMaxEscapes) return;
    if (!options_.kinds_apart) return VisitEscapes(layer, EscapeKind::kAny, escapes, base64, has_hits);
    for (const EscapeKind kind : {EscapeKind::kBackslash, EscapeKind::kPercent, EscapeKind::kEntity})
      VisitEscapes(layer, kind, escapes, base64, has_hits);
  }

  Base64Contents Contents() const {
    constexpr std::size_t kMinCompressed = 16;  // compressed data is shorter than what it holds
    return {.min_bytes = options_.thorough ? std::min(options_.min_bytes, kMinCompressed) : options_.min_bytes,
            .min_ascii = options_.ascii_only ? options_.min_bytes : 0,
            .utf16 = options_.utf16,
            .compressed = options_.thorough};
  }

  // The runs of base64 that may hold something new.
  std::vector<TextSpan> FindRuns(Layer& layer, const DecodedText* undone, int base64) const {
    if (base64 == kMaxBase64) return {};
    std::vector<TextSpan> runs = FindBase64Runs(layer.text(), Contents());
    for (const TextSpan& run : runs) {
      if (MayGoOnAfterEscape(layer.text(), run)) layer.NoteHit({run.begin, run.end + 1});
      if (options_.thorough && MayBeCompressedAfterEscape(layer.text(), run)) layer.NoteHit(run);
    }
    if (undone == nullptr) return runs;
    // A run without an escape was already visited in the previous layer, unless its header was not at the beginning
    // there: the letters of an escape before it look like base64.
    SourceMapReader sources(undone->sources());
    std::erase_if(runs, [&](const TextSpan& run) {
      const std::size_t begin = sources.At(run.begin).source.begin;
      const bool visited = sources.At(run.end - 1).source.end - begin == run.size();
      return visited && !(options_.thorough && MayBeCompressed(layer.text().substr(run.begin, run.size())));
    });
    return runs;
  }

  void NoteJoins(Layer& layer) const {
    const Blanks blanks = options_.without_blanks ? Blanks::kLeftOut : Blanks::kKept;
    for (const TextSpan& escape : options_.escaped_joins->Find(layer.text(), blanks, *options_.grams))
      layer.NoteHit(escape);
  }

  // Removes long runs that are text from `runs`: nothing else needs to be tried with them.
  static std::vector<TextSpan> TakeTexts(std::string_view text, std::vector<TextSpan>& runs) {
    constexpr std::size_t kLong = 1024;
    std::vector<TextSpan> texts;
    const auto is_long = [](const TextSpan& run) { return run.size() >= kLong; };
    if (std::ranges::none_of(runs, is_long)) return texts;
    AsciiInBase64 ascii(text);
    std::erase_if(runs, [&](const TextSpan& run) {
      const bool is_text = is_long(run) && ascii.IsText(run);
      if (is_text) texts.push_back(run);
      return is_text;
    });
    return texts;
  }

  void VisitTexts(Layer& layer, int escapes, int base64) {
    if (layer.encoded_texts().empty()) return;
    std::vector<TextSpan> texts = layer.encoded_texts();
    const DecodedRuns reading = DecodeBase64Runs(layer.text(), texts, 0);
    Layer decoded(reading, layer);
    Visit(decoded, nullptr, escapes, base64 + 1);
  }

  void VisitEscapes(Layer& layer, EscapeKind kind, int escapes, int base64, bool has_hits) {
    if (has_hits && !layer.has_hits() && HasOnlyPlainEscapes(layer.text())) return;
    EscapedParts parts(layer.text(), kind);
    for (auto part = parts.Next(options_.around); part; part = parts.Next(options_.around)) {
      if (has_hits && !layer.HasHitIn(*part) && HasOnlyPlainEscapes(layer.text().substr(part->begin, part->size())))
        continue;
      for (std::size_t around = options_.around; !VisitPart(layer, *part, kind, escapes, base64);) {
        around *= kMoreAround;
        part = parts.Widen(*part, around);
      }
    }
  }

  // False if it asks for more than the part.
  bool VisitPart(Layer& layer, TextSpan part, EscapeKind kind, int escapes, int base64) {
    const auto reading = UndoEscapes(layer.text().substr(part.begin, part.size()), kind);
    if (!reading) return true;
    // Kinds decoded in another order mostly give the same text, whose layers were all visited.
    if (options_.kinds_apart && !seen_.emplace(reading->size(), Hash64(reading->text())).second) return true;
    const bool to_end = part.end == layer.text().size();
    Layer decoded(*reading, layer, part.begin, !to_end || layer.is_cut());
    Visit(decoded, &*reading, escapes + 1, base64);
    if (!decoded.asks_for_more()) return true;
    if (to_end) layer.AskForMore();
    return to_end;
  }

  // The `m` that ends a color is glued to what it colors.
  void VisitUncolored(Layer& layer) {
    const auto plain = WithoutTerminalSequences(layer.text());
    if (!plain) return;
    Layer uncolored(*plain, layer, 0, layer.is_cut());
    on_layer_(uncolored);
    if (uncolored.asks_for_more()) layer.AskForMore();
  }

  void VisitJoined(Layer& layer, Blanks blanks) {
    if (options_.grams == nullptr) return JoinPart(layer, {0, layer.text().size()}, blanks);
    for (const TextSpan& part : FindJoins(layer.text(), blanks, *options_.grams)) JoinPart(layer, part, blanks);
  }

  void JoinPart(Layer& layer, TextSpan part, Blanks blanks) {
    const auto joined = JoinLines(layer.text().substr(part.begin, part.size()), blanks);
    if (!joined) return;
    Layer without_breaks(*joined, layer, part.begin);
    on_layer_(without_breaks);
  }

  void VisitBase64(Layer& layer, std::span<const TextSpan> runs, int escapes, int base64) {
    if (runs.empty()) return;
    if (options_.thorough) {
      ForEachCompressed(layer.text(), runs, [&](const DecodedText& inflated) {
        Layer decompressed(inflated, layer);
        Visit(decompressed, nullptr, escapes, base64 + 1);
      });
    }
    AsciiInBase64 ascii(layer.text());
    std::vector<Base64Run> left = Plausible(ascii, runs);
    for (std::size_t phase = 0; phase < kBase64Phases && !left.empty(); ++phase) {
      const DecodedRuns reading = Decode(layer.text(), ascii, left, phase);
      if (reading.decoded.size() == 0) continue;
      Layer decoded(reading, layer);
      on_layer_(decoded);
      // Most of it is noise, because most runs are words. Further encodings can only be in parts that are text.
      const DecodedText parts = TextParts(decoded.text(), options_.min_bytes);
      if (parts.size() == 0) continue;
      Layer text(parts, decoded);
      Descend(text, FindRuns(text, nullptr, base64 + 1), escapes, base64 + 1, false);
    }
  }

  struct Base64Run {
    TextSpan span;
    Base64PhaseSet phases;  // at which it may hold something
  };
  static constexpr std::size_t kShortRun = 64;

  std::vector<Base64Run> Plausible(AsciiInBase64& ascii, std::span<const TextSpan> runs) const {
    std::vector<Base64Run> plausible;
    for (const TextSpan& run : runs) {
      const Base64PhaseSet phases = PlausiblePhases(ascii, run);
      if (phases != 0) plausible.push_back({run, phases});
    }
    return plausible;
  }

  Base64PhaseSet PlausiblePhases(AsciiInBase64& ascii, TextSpan run) const {
    if (run.size() / 4 * 3 + 3 < options_.min_bytes) return 0;
    return run.size() <= kShortRun ? PhasesOf(ascii, run, kAllBase64Phases) : kAllBase64Phases;
  }

  Base64PhaseSet PhasesOf(AsciiInBase64& ascii, TextSpan run, Base64PhaseSet phases) const {
    const bool any = !options_.ascii_only || (options_.utf16 && ascii.MayHoldUtf16(run));
    return any ? phases : ascii.PhasesOf(run, options_.min_bytes, phases);
  }

  // Decodes the runs that may hold something at `phase`. Removes those that are text there from `runs`: at another
  // phase they cannot be text.
  DecodedRuns Decode(std::string_view text, AsciiInBase64& ascii, std::vector<Base64Run>& runs,
                     std::size_t phase) const {
    std::vector<TextSpan> tried;
    for (const auto& [run, phases] : runs) {
      const Base64PhaseSet now = phases & 1U << phase;
      if (now != 0 && (run.size() <= kShortRun || PhasesOf(ascii, run, now) != 0)) tried.push_back(run);
    }
    std::vector<TextSpan> no_text = tried;
    DecodedRuns decoded = DecodeBase64Runs(text, no_text, phase);
    if (no_text.size() == tried.size()) return decoded;
    std::vector<TextSpan> are_text;
    std::ranges::set_difference(tried, no_text, std::back_inserter(are_text), {}, &TextSpan::begin, &TextSpan::begin);
    std::erase_if(runs, [&](const Base64Run& run) {
      return std::ranges::binary_search(are_text, run.span.begin, {}, &TextSpan::begin);
    });
    return decoded;
  }

  const LayerOptions& options_;
  const std::function<void(Layer&)>& on_layer_;
  std::set<std::pair<std::size_t, std::uint64_t>> seen_;  // sizes and hashes of decoded texts
};

}  // namespace

void Layer::SortHits() { std::ranges::sort(hits_); }

bool Layer::HasHitIn(TextSpan part) const {
  const auto hit = std::ranges::lower_bound(hits_, part.begin);
  return hit != hits_.end() && *hit < part.end;
}

TextSpan Layer::AtBottom(TextSpan span) const {
  const TextSpan whole = WholeEscapes(text_, span);
  if (below_ == nullptr) return whole;
  if (runs_ != nullptr) return below_->AtBottom(Base64Source(below_->text(), *runs_, whole));
  const TextSpan source = reading_->Source(whole);
  return below_->AtBottom({part_ + source.begin, part_ + source.end});
}

std::vector<std::size_t> FindBase64(std::string_view text, const LayerOptions& options) {
  return Visitor(options, nullptr).FindBase64(text);
}

void ForEachLayer(std::string_view text, const LayerOptions& options, const std::function<void(Layer&)>& on_layer) {
  Layer plain(text);
  Visitor(options, on_layer).Visit(plain, nullptr, 0, 0);
}

}  // namespace turnlog
