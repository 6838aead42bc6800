// Finds many literals in a text at once, in time linear in the text whatever the literals are.
//
// Words that are shorter than all literals, or have letters that no literal has, are skipped, and so are positions
// where a hash of four bytes says that no literal can begin; at the others an Aho-Corasick automaton runs. If all
// literals are longer than four bytes, only every second to eighth position is looked at: each literal has a gram
// there. Its states are numbered breadth first, so that the children of a state are adjacent and a state takes a few
// bytes: thousands of long literals fit into the cache. Its memory is wiped at the end, because literals may be
// secrets.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/secret_string.h"
#include "sanitize/secrets/byte_set.h"
#include "sanitize/secrets/letter_rows.h"

namespace turnlog {

class LiteralFinder {
 public:
  // Empty literals are never found. For equal literals the first index is reported.
  explicit LiteralFinder(std::span<const std::string_view> literals);

  // Calls on_match(index, begin, end) for every literal found at text[begin, end), in order of `end`, the longest
  // first. If it returns false, shorter literals with the same end are skipped. Any thread may call it.
  template <class OnMatch>
  void ForEach(std::string_view text, OnMatch&& on_match) const;

 private:
  using State = std::uint32_t;
  static constexpr State kRoot = 0;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kGram = 4;
  static constexpr std::size_t kMaxStride = 8;

  struct Node {
    State first_child = 0;          // up to first_child of the next state
    State fallback = kRoot;         // the longest proper suffix of this state that is a state
    std::uint32_t literal = kNone;  // the literal that ends here
    State shorter = kRoot;          // the next state along the fallbacks where a literal ends
    std::uint32_t depth = 0;
  };

  struct Literal {
    std::string_view text;
    std::uint32_t index;
  };
  static std::size_t CountStates(std::span<const Literal> literals);
  void Build(std::span<const Literal> literals);
  void Link();
  void MakeGrams(std::span<const std::string_view> literals);

  std::size_t Slot(std::uint32_t gram) const { return ((gram & gram_bytes_) * 0x9e3779b1U) >> slot_shift_; }
  // 1 or 0.
  std::uint64_t IsGramAt(const char* at) const {
    std::uint32_t gram;
    std::memcpy(&gram, at, sizeof gram);
    const std::size_t slot = Slot(gram);
    return grams_[slot / 64] >> (slot % 64) & 1;
  }
  // The first position from `at` on where a literal may begin. If it may be shorter than a gram, the last few positions
  // always count.
  std::size_t Skip(LetterRows& rows, std::string_view text, std::size_t at) const {
    for (at = rows.Next(at); at < text.size(); at = rows.Next(at + stride_)) {
      const std::size_t last = at + stride_ - 1;  // what begins from `at` up to it has a gram there
      if (last + kGram > text.size() || IsGramAt(text.data() + last) != 0) break;
    }
    return std::min(at, text.size());
  }
  State Child(State state, unsigned char byte) const {
    if (state == kRoot) return first_[byte];
    const State end = nodes_[state + 1].first_child;
    for (State child = nodes_[state].first_child; child < end; ++child) {
      if (bytes_[child] == byte) return child;
    }
    return kRoot;
  }
  State Next(State state, unsigned char byte) const {
    for (;; state = nodes_[state].fallback) {
      const State child = Child(state, byte);
      if (child != kRoot || state == kRoot) return child;
    }
  }

  ByteSet letters_;           // that literals have, and some others
  std::size_t row_ = 1;       // each literal has so many letters or more
  std::uint32_t gram_bytes_;  // as many as the shortest literal has
  std::size_t stride_;        // of the positions that are looked at
  int slot_shift_;
  std::array<State, 256> first_{};    // the children of the root
  WipedVector<Node> nodes_;           // with a sentinel, so that every state has a next one
  WipedVector<unsigned char> bytes_;  // the letter of the transition into a state
  WipedVector<std::uint64_t> grams_;  // a bit for each hash of the first grams of a literal
};

template <class OnMatch>
void LiteralFinder::ForEach(std::string_view text, OnMatch&& on_match) const {
  LetterRows rows(letters_, row_, text);
  State state = kRoot;
  for (std::size_t at = Skip(rows, text, 0); at < text.size(); ++at) {
    const std::uint32_t depth = nodes_[state].depth;
    state = Next(state, static_cast<unsigned char>(text[at]));
    State found = nodes_[state].literal != kNone ? state : nodes_[state].shorter;
    for (; found != kRoot; found = nodes_[found].shorter) {
      const std::size_t end = at + 1;
      if (!on_match(std::size_t{nodes_[found].literal}, end - nodes_[found].depth, end)) break;
    }
    if (nodes_[state].depth > depth) continue;
    // What began first has failed. What may have begun later is looked at again, a few bytes, if its grams are there.
    const std::size_t begin = at + 1 - nodes_[state].depth, next = Skip(rows, text, begin);
    if (next == begin && state != kRoot) continue;
    state = kRoot;
    at = next - 1;
  }
}

}  // namespace turnlog
