#include "sanitize/secrets/gram_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace turnlog {
namespace {

// How often a letter occurs in documents, programs and transcripts, of which the most frequent ones are listed in
// order.
double LetterFrequency(char letter) {
  constexpr std::string_view kByFrequency = " etisanorcldp*_gmubhf/yvx0kw\".z2,1)(:-9j53468{}q=7|'#>;";
  constexpr double kMost = 0.07, kNext = 0.94;
  return kMost * std::pow(kNext, static_cast<double>(std::min(kByFrequency.find(letter), kByFrequency.size())));
}

// Letters that follow each other more often than their frequencies say, because words have them.
constexpr std::string_view kWords =
    "accounts actually algorithm allocation always another application arrange assistant atch attention attribute"
    " authors automatic background because before boost broken buffer calls capability change check client codes"
    " command common compile complete conditions config connection content context control convert copyright counter"
    " created cryptographic current debug default description different digital directory distribution docket document"
    " double duplicate elements enable ending entry error event example exception export external failed false field"
    " files first follow form found function gener github given handle have here image implement import include"
    " information input integer interface internal invalid issue item keyword language large level library license"
    " like line link list load local location long make manager market master match maximum message method might model"
    " module more name namespace network next node none normal notice null number object open operation option order"
    " other output package page parameter parse parser part password path pattern permission ping place pointer"
    " position print private process program project property protocol provide public query range rather read reader"
    " receive record recover reference regexp register release remove rendered replace request require response result"
    " return returns right route same save script search second secret section segment select self send sequence"
    " server service session should signature simple single size socket software source specific stable stacktrace"
    " standard start state static status stdio still store stream string struct style support switch system table tag"
    " target template term test text that their there this thread through time times together token tools tracker"
    " trans transform type under unit unlock update usage user using utility valid value variable vector version view"
    " visible warning what when where which while width window with within without word work write your ---- ==== ****";

}  // namespace

// Distributes grams among groups so that few other texts have letters of the same group at all positions.
class GramFilter::Groups {
 public:
  Groups() {
    for (std::size_t byte = 0; byte < 256; ++byte) frequency_[byte] = LetterFrequency(static_cast<char>(byte));
    for (std::size_t at = 0; at + kGram <= kWords.size(); ++at) in_words_[SlotOf(kWords.substr(at, kGram))] = true;
  }

  struct Choice {
    std::size_t group = 0, offset = 0;
  };
  // The group and the gram of the keyword that add the least.
  Choice Choose(std::string_view keyword) const {
    constexpr double kWeight = 20;  // a gram that occurs costs more than letters that only look like one
    const std::size_t last = keyword.size() - std::min(keyword.size(), kGram);
    Choice best;
    double least = kWeight;
    for (std::size_t offset = 0; offset <= last; ++offset) {
      const std::string_view gram = keyword.substr(offset, kGram);
      const double own = kWeight * FrequencyOf(gram);
      for (std::size_t group = 0; group < kGroups; ++group) {
        const double cost = own + Added(groups_[group], gram);
        if (cost < least) least = cost, best = {group, offset};
      }
    }
    return best;
  }
  void Add(std::size_t group, std::string_view gram) { Add(groups_[group], gram); }

 private:
  struct Letters {
    std::array<bool, 256> has{};
    double frequency = 0;
    bool any = false;
  };
  using Group = std::array<Letters, kGram>;

  void Add(Group& group, std::string_view gram) const {
    for (std::size_t i = 0; i < gram.size(); ++i) {
      Letters& letters = group[i];
      const auto byte = static_cast<unsigned char>(gram[i]);
      if (!std::exchange(letters.has[byte], true)) letters.frequency += frequency_[byte];
    }
    for (std::size_t i = gram.size(); i < kGram; ++i) group[i].any = true;
  }
  // How often it occurs.
  double FrequencyOf(std::string_view gram) const {
    constexpr double kPartOfWord = 1000;
    const bool maybe = gram.size() < kGram || in_words_[SlotOf(gram)];
    double frequency = maybe && kWords.contains(gram) ? kPartOfWord : 1;
    for (const char letter : gram) frequency *= frequency_[static_cast<unsigned char>(letter)];
    return frequency;
  }
  // How many more positions have letters of the group with the gram in it.
  double Added(const Group& group, std::string_view gram) const {
    double now = 1, then = 1;
    for (std::size_t i = 0; i < kGram; ++i) {
      const double frequency = group[i].any ? 1 : group[i].frequency;
      const bool more = i < gram.size() && !group[i].any && !group[i].has[static_cast<unsigned char>(gram[i])];
      now *= frequency;
      then *= i < gram.size() ? frequency + (more ? frequency_[static_cast<unsigned char>(gram[i])] : 0) : 1;
    }
    return then - now;
  }

  // Of whole grams, by a hash: looking through all words takes long.
  static constexpr int kSlotBits = 16;
  static std::size_t SlotOf(std::string_view gram) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, gram.data(), kGram);
    return bytes * 0x9e3779b1U >> (32 - kSlotBits);
  }

  std::array<double, 256> frequency_{};
  std::array<Group, kGroups> groups_{};
  std::vector<bool> in_words_ = std::vector<bool>(std::size_t{1} << kSlotBits);
};

GramFilter::GramFilter(std::span<const std::string> keywords, Vectors most) : vectors_(SupportedVectors(most)) {
  const auto groups = std::make_unique<Groups>();
  for (const std::string& keyword : keywords) {
    offsets_.push_back(0);
    if (keyword.size() < kMinKeyword) continue;
    const Groups::Choice choice = groups->Choose(keyword);
    const std::string_view gram = std::string_view(keyword).substr(choice.offset, kGram);
    groups->Add(choice.group, gram);
    MarkLetters(choice.group, gram);
    MarkGram(gram);
    offsets_.back() = choice.offset;
  }
}

// Bytes that the tables do not have may be anywhere, and so may any byte after a gram of three.
void GramFilter::MarkLetters(std::size_t group, std::string_view gram) {
  const auto bit = static_cast<std::uint8_t>(1U << group % 8);
  for (std::size_t i = 0; i < kGram; ++i) {
    const unsigned byte = i < gram.size() ? static_cast<unsigned char>(gram[i]) : 0x80U;
    Letters& letters = letters_[group / 8][i];
    if (byte < 0x80) {
      letters[(byte & 31U) | (byte >> 1 & 32U)] |= bit;
    } else {
      for (std::uint8_t& groups : letters) groups |= bit;
    }
  }
}

void GramFilter::MarkGram(std::string_view gram) {
  std::uint32_t folded = 0;
  std::memcpy(&folded, gram.data(), gram.size());
  folded |= kCaseBits;
  grams_[WordOf(folded)] |= gram.size() < kGram ? ~0U : 1U << BitOf(folded);
}

#if defined(__x86_64__)
// A bit for each of kStride positions.
__attribute__((target("avx2"), always_inline)) inline std::uint64_t GramFilter::MaskWithAvx2(const char* at) const {
  std::uint64_t candidates = 0;
  for (std::size_t block = 0; block < kStride; block += 32) {
    __m256i groups[kHalves] = {_mm256_set1_epi8(-1), _mm256_set1_epi8(-1)};
    for (std::size_t i = 0; i < kGram; ++i) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + block + i));
      const __m256i index = _mm256_and_si256(bytes, _mm256_set1_epi8(15));
      const __m256i odd = _mm256_slli_epi16(bytes, 3), high = _mm256_slli_epi16(bytes, 1);  // bits 4 and 6 to the top
      for (std::size_t half = 0; half < kHalves; ++half) {
        const auto look_up = [&](std::size_t sixteenth) __attribute__((target("avx2"), always_inline)) {
          const auto* const table = reinterpret_cast<const __m128i*>(letters_[half][i].data()) + sixteenth;
          return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_load_si128(table)), index);
        };
        const __m256i low_half = _mm256_blendv_epi8(look_up(0), look_up(1), odd);
        const __m256i high_half = _mm256_blendv_epi8(look_up(2), look_up(3), odd);
        groups[half] = _mm256_and_si256(groups[half], _mm256_blendv_epi8(low_half, high_half, high));
      }
    }
    const __m256i none = _mm256_cmpeq_epi8(_mm256_or_si256(groups[0], groups[1]), _mm256_setzero_si256());
    candidates |= std::uint64_t{~static_cast<std::uint32_t>(_mm256_movemask_epi8(none))} << block;
  }
  return candidates;
}

// Writes eight positions at once without a branch, because their number is hard to predict.
__attribute__((target("avx2,bmi,popcnt"))) std::size_t GramFilter::CandidatesWithAvx2(const char* at, std::size_t count,
                                                                                      Positions& found) const {
  std::size_t size = 0;
  for (std::size_t stride = 0; stride < count; stride += kStride) {
    std::uint64_t left = MaskWithAvx2(at + stride);
    const std::size_t end = size + static_cast<std::size_t>(std::popcount(left));
    for (; left != 0; size += 8) {
      for (std::size_t i = 0; i < 8; ++i, left &= left - 1)
        found[size + i] = static_cast<std::uint16_t>(stride + static_cast<std::size_t>(std::countr_zero(left)));
    }
    size = end;
  }
  return size;
}

__attribute__((target("avx512bw,avx512vbmi,avx512vbmi2,popcnt"))) std::size_t GramFilter::CandidatesWithAvx512(
    const char* at, std::size_t count, Positions& found) const {
  const auto index_at = [&](const char* from) __attribute__((target("avx512bw,avx512vbmi"), always_inline)) {
    const __m512i bytes = _mm512_loadu_si512(from);
    const __m512i high = _mm512_and_si512(_mm512_srli_epi16(bytes, 1), _mm512_set1_epi8(32));  // bit 6 to bit 5
    return _mm512_or_si512(_mm512_and_si512(bytes, _mm512_set1_epi8(31)), high);
  };
  alignas(64) std::array<std::uint16_t, 32> first_positions;
  std::iota(first_positions.begin(), first_positions.end(), std::uint16_t{0});
  const __m512i numbers = _mm512_load_si512(first_positions.data());
  std::size_t size = 0;
  for (std::size_t stride = 0; stride < count; stride += kStride, at += kStride) {
    const __m512i first = index_at(at), second = index_at(at + 1), third = index_at(at + 2), fourth = index_at(at + 3);
    __m512i any = _mm512_setzero_si512();
    for (const std::array<Letters, kGram>& half : letters_) {
      const auto look_up = [&](std::size_t i, __m512i index)
                               __attribute__((target("avx512bw,avx512vbmi"), always_inline)) {
                                 return _mm512_maskz_permutexvar_epi8(~0ULL, index, _mm512_load_si512(half[i].data()));
                               };
      const __m512i begin = _mm512_and_si512(look_up(0, first), look_up(1, second));
      const __m512i end = _mm512_and_si512(look_up(2, third), look_up(3, fourth));
      any = _mm512_or_si512(any, _mm512_and_si512(begin, end));
    }
    const std::uint64_t mask = _mm512_test_epi8_mask(any, any);
    for (unsigned half = 0; half < 2; ++half) {
      const auto bits = static_cast<__mmask32>(mask >> (32 * half));
      const __m512i positions = _mm512_add_epi16(numbers, _mm512_set1_epi16(static_cast<short>(stride + 32 * half)));
      _mm512_storeu_si512(found.data() + size, _mm512_maskz_compress_epi16(bits, positions));
      size += static_cast<std::size_t>(std::popcount(bits));
    }
  }
  return size;
}
#else
std::uint64_t GramFilter::MaskWithAvx2(const char*) const { return ~std::uint64_t{0}; }
std::size_t GramFilter::CandidatesWithAvx2(const char*, std::size_t, Positions&) const { return 0; }
std::size_t GramFilter::CandidatesWithAvx512(const char*, std::size_t, Positions&) const { return 0; }
#endif

std::size_t GramFilter::Candidates(const char* at, std::size_t count, Positions& found) const {
  switch (vectors_) {
    case Vectors::kAvx2:
      return CandidatesWithAvx2(at, count, found);
    case Vectors::kAvx512:
      return CandidatesWithAvx512(at, count, found);
    case Vectors::kNone:
      break;
  }
  std::iota(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), std::uint16_t{0});
  return count;
}

std::size_t GramFilter::Find(std::string_view text, std::size_t at, Positions& found) const {
  const std::size_t last = text.size() - std::min(text.size(), kGram);  // with a gram after it
  const std::size_t whole = at < last ? std::min(kBlock, (last - at) / kStride * kStride) : 0;
  const std::size_t candidates = Candidates(text.data() + at, whole, found);
  std::size_t count = 0;
  for (std::size_t i = 0; i < candidates; ++i) {
    const std::uint16_t position = found[i];
    found[count] = position;
    count += MayBeAt(text.data() + at + position);
  }
  for (std::size_t i = whole; i < kBlock && at + i + kMinKeyword <= text.size(); ++i) {
    found[count] = static_cast<std::uint16_t>(i);
    count += at + i + kGram <= text.size() ? MayBeAt(text.data() + at + i) : 1;
  }
  return count;
}

}  // namespace turnlog
