#include "sanitize/secrets/decoded_base64.h"

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/base64.h"
#include "base/utf8.h"
#include "base/vectors.h"
#include "sanitize/secrets/base64_runs.h"
#include "sanitize/secrets/text_bytes.h"

namespace turnlog {
namespace {

std::uint8_t ValueOf(char letter) { return kAnyBase64[static_cast<unsigned char>(letter)]; }

// Long enough that it is not text by chance.
bool IsText(std::string_view decoded) {
  constexpr std::size_t kMinBytes = 12;
  return decoded.size() >= kMinBytes && SkipLastNonText(decoded, 0, decoded.size()) == 0 && IsUtf8(decoded);
}

constexpr std::size_t kBlockLetters = 32;

#if defined(__x86_64__)
// The bytes of 32 letters, in the first 24 of `out`. False if one of them is no letter.
__attribute__((target("avx2"))) bool DecodeBlock(const char* letters, char* out) {
  __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(letters));
  bytes = _mm256_blendv_epi8(bytes, _mm256_set1_epi8('+'), _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('-')));
  bytes = _mm256_blendv_epi8(bytes, _mm256_set1_epi8('/'), _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('_')));
  // By the upper half of a letter what is added to it for its six bits; '/' is apart.
  const __m256i moves = _mm256_setr_epi8(0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                         0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
  const __m256i slashes = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('/'));
  const __m256i values = _mm256_add_epi8(bytes, _mm256_shuffle_epi8(moves, _mm256_add_epi8(high, slashes)));
  // A bit for each upper half, by the lower half: which letters there are.
  const __m256i bits = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                        1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i valid = _mm256_setr_epi8(-88, -8, -8, -8, -8, -8, -8, -8, -8, -8, -16, 84, 80, 80, 80, 84,  //
                                         -88, -8, -8, -8, -8, -8, -8, -8, -8, -8, -16, 84, 80, 80, 80, 84);
  const __m256i low = _mm256_and_si256(bytes, _mm256_set1_epi8(15));
  const __m256i is_letter = _mm256_and_si256(_mm256_shuffle_epi8(bits, high), _mm256_shuffle_epi8(valid, low));
  if (_mm256_movemask_epi8(_mm256_cmpeq_epi8(is_letter, _mm256_setzero_si256())) != 0) return false;
  const __m256i pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
  const __m256i groups = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
  const __m256i order = _mm256_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1,  //
                                         2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  const __m256i packed = _mm256_shuffle_epi8(groups, order);
  const __m256i whole = _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), whole);
  return true;
}
#else
bool DecodeBlock(const char*, char*) { return false; }
#endif

// Decodes as many whole blocks of letters as `letters` begins with. Returns their size.
std::size_t DecodeBase64Blocks(std::string_view letters, DecodedText& out) {
  static const bool possible = SupportedVectors(Vectors::kAvx2) != Vectors::kNone;
  std::size_t at = 0;
  while (possible && at + kBlockLetters <= letters.size() &&
         DecodeBlock(letters.data() + at, out.Room(kBlockLetters))) {
    out.Grow(kBlockLetters / 4 * 3);
    at += kBlockLetters;
  }
  return at;
}

void DecodeRun(std::string_view run, std::size_t phase, DecodedText& out) {
  std::uint32_t bits = 0;
  int count = 0;
  for (std::size_t at = phase; at < run.size();) {
    if (count == 0 && at + 4 <= run.size()) {
      at += DecodeBase64Blocks(run.substr(at), out);
      const std::uint32_t group = at + 4 <= run.size() ? Base64Group(kAnyBase64, run.data() + at) : kNoBase64Group;
      if (group != kNoBase64Group) {
        out.AppendThree(group);
        at += 4;
        continue;
      }
    }
    if (at == run.size()) break;
    const std::uint8_t value = ValueOf(run[at++]);
    if (value == kNoBase64) continue;  // a line break or padding
    bits = bits << 6 | value;
    if (++count < 4) continue;
    out.AppendThree(bits);
    count = 0;
  }
  if (count >= 2) out.Append(static_cast<char>(bits >> (6 * count - 8) & 0xff));
  if (count == 3) out.Append(static_cast<char>(bits >> 2 & 0xff));
}

constexpr std::size_t kLongestPart = 1024;  // longer ones are hardly names in a path

// After the last slash before letters[at] where base64 may begin; 0 if there is none.
std::size_t BeginOfPart(std::string_view letters, std::size_t phase, std::size_t at) {
  const std::size_t from = at - std::min(at, kLongestPart);
  for (std::size_t begin = at; begin > from; --begin) {
    if (letters[begin - 1] == '/' && begin % 4 == phase) return begin;
  }
  return 0;
}

std::size_t EndOfPart(std::string_view letters, std::size_t at) {
  const std::size_t slash = letters.substr(0, at + kLongestPart).find('/', at);
  return std::min(slash, letters.size());
}

}  // namespace

DecodedRuns DecodeBase64Runs(std::string_view text, std::vector<TextSpan>& runs, std::size_t phase) {
  std::size_t room = kBlockLetters;  // the last block is written whole
  for (const TextSpan& run : runs) room += run.size() / 4 * 3 + 4;
  DecodedRuns result{.decoded = DecodedText(room), .phase = phase, .whole = {}};
  std::erase_if(runs, [&](const TextSpan& run) {
    const std::size_t begin = result.decoded.size();
    const std::string_view letters = text.substr(run.begin, run.size());
    DecodeRun(letters, phase, result.decoded);
    const bool is_text = IsText(result.decoded.text().substr(begin));
    result.decoded.Append('\n');
    result.decoded.EndSpan(begin, run);
    if (is_text || IsWrapped(letters)) result.whole.push_back(begin);
    return is_text;
  });
  return result;
}

TextSpan Base64Source(std::string_view text, const DecodedRuns& runs, TextSpan span) {
  const TextSpan run = runs.decoded.Source(span), bytes = runs.decoded.PieceAt(span.begin);
  if (span.end > bytes.end || std::ranges::binary_search(runs.whole, bytes.begin)) return run;
  const std::string_view letters = text.substr(run.begin, run.size());
  const std::size_t first = runs.phase + (span.begin - bytes.begin) * 4 / 3;
  const std::size_t end = runs.phase + ((span.end - bytes.begin) * 4 + 2) / 3;
  return {run.begin + BeginOfPart(letters, runs.phase, first), run.begin + EndOfPart(letters, end)};
}

}  // namespace turnlog
