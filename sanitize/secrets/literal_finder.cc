#include "sanitize/secrets/literal_finder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>

namespace turnlog {
namespace {

// For a ByteSet: control characters all together, and what is no ASCII.
ByteSet LettersOf(std::span<const std::string_view> literals) {
  std::array<bool, 256> has{};
  for (const std::string_view literal : literals) {
    for (const char letter : literal) has[static_cast<unsigned char>(letter)] = true;
  }
  constexpr std::size_t kControls = 0x20, kAscii = 0x80;
  for (const auto range : {std::span<bool>(has).first(kControls), std::span<bool>(has).subspan(kAscii)}) {
    if (std::ranges::find(range, true) != range.end()) std::ranges::fill(range, true);
  }
  std::string letters;
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (has[i]) letters += static_cast<char>(i);
  }
  return ByteSet(letters);
}

}  // namespace

LiteralFinder::LiteralFinder(std::span<const std::string_view> literals) : letters_(LettersOf(literals)) {
  MakeGrams(literals);
  std::vector<Literal> sorted;
  sorted.reserve(literals.size());
  for (std::uint32_t i = 0; i < literals.size(); ++i) {
    if (!literals[i].empty()) sorted.push_back({literals[i], i});
  }
  std::ranges::sort(sorted, {}, [](const Literal& literal) { return std::pair(literal.text, literal.index); });
  const auto repeated = std::ranges::unique(sorted, {}, &Literal::text);
  sorted.erase(repeated.begin(), repeated.end());
  Build(sorted);
  Link();
}

// A literal adds the letters that it does not begin with in common with the one before.
std::size_t LiteralFinder::CountStates(std::span<const Literal> literals) {
  std::size_t states = 1;
  std::string_view before;
  for (const Literal& literal : literals) {
    const auto common = std::ranges::mismatch(before, literal.text).in2 - literal.text.begin();
    states += literal.text.size() - static_cast<std::size_t>(common);
    before = literal.text;
  }
  return states;
}

// Each state represents the literals (a range of the sorted ones) that begin with the bytes leading to it. The states
// of a depth are adjacent.
void LiteralFinder::Build(std::span<const Literal> literals) {
  const std::size_t states = CountStates(literals);
  nodes_.reserve(states + 1);  // growing would copy and wipe it several times
  bytes_.reserve(states);
  nodes_.emplace_back();
  bytes_.push_back(0);
  std::vector<std::span<const Literal>> of_depth = {literals}, of_next;
  for (State state = 0; !of_depth.empty(); std::swap(of_depth, of_next), of_next.clear()) {
    for (std::span<const Literal> rest : of_depth) {
      const std::uint32_t depth = nodes_[state].depth;
      nodes_[state].first_child = static_cast<State>(nodes_.size());
      if (!rest.empty() && rest.front().text.size() == depth) {
        nodes_[state].literal = rest.front().index;
        rest = rest.subspan(1);
      }
      while (!rest.empty()) {
        const char byte = rest.front().text[depth];
        const auto same = static_cast<std::size_t>(
            std::ranges::find_if(rest, [&](const Literal& other) { return other.text[depth] != byte; }) - rest.begin());
        of_next.push_back(rest.first(same));
        nodes_.push_back({.depth = depth + 1});
        bytes_.push_back(static_cast<unsigned char>(byte));
        rest = rest.subspan(same);
      }
      ++state;
    }
  }
  nodes_.push_back({.first_child = static_cast<State>(nodes_.size())});
}

void LiteralFinder::Link() {
  const auto states = static_cast<State>(nodes_.size() - 1);
  for (State child = nodes_[kRoot].first_child; child < nodes_[kRoot + 1].first_child; ++child)
    first_[bytes_[child]] = child;
  for (State state = 0; state < states; ++state) {
    for (State child = nodes_[state].first_child; child < nodes_[state + 1].first_child; ++child) {
      const State fallback = state == kRoot ? kRoot : Next(nodes_[state].fallback, bytes_[child]);
      nodes_[child].fallback = fallback;
      nodes_[child].shorter = nodes_[fallback].literal != kNone ? fallback : nodes_[fallback].shorter;
    }
  }
}

void LiteralFinder::MakeGrams(std::span<const std::string_view> literals) {
  constexpr int kMinBits = 16, kMaxBits = 21, kBitsPerGram = 32;  // the smallest has 8 KiB, the largest 256 KiB
  std::size_t shortest = LetterRows::kMost;
  for (const std::string_view literal : literals)
    shortest = std::min(shortest, std::max<std::size_t>(literal.size(), 1));
  row_ = shortest;
  shortest = std::min(shortest, kGram + kMaxStride - 1);
  gram_bytes_ = ~std::uint32_t{0} >> (8 * (kGram - std::min(shortest, kGram)));
  stride_ = shortest - std::min(shortest, kGram) + 1;
  const auto bits = static_cast<int>(std::bit_width(literals.size() * stride_ * kBitsPerGram));
  slot_shift_ = 32 - std::clamp(bits, kMinBits, kMaxBits);
  grams_.resize((std::size_t{1} << (32 - slot_shift_)) / 64);
  for (const std::string_view literal : literals) {
    for (std::size_t at = 0; at < stride_ && !literal.empty(); ++at) {
      std::uint32_t gram = 0;
      std::memcpy(&gram, literal.data() + at, std::min(literal.size(), kGram));
      const std::size_t slot = Slot(gram);
      grams_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    }
  }
}

}  // namespace turnlog
