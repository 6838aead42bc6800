// Finds many literals in a text at once, in time linear in the text whatever the literals are.
//
// A hash of four bytes skips positions where no literal can begin, at about a byte per cycle; at the others an
// Aho-Corasick automaton runs. Its states are numbered breadth first, so that the children of a state are adjacent and
// a state takes a few bytes: thousands of long literals fit into the cache. Its memory is wiped at the end, because
// literals may be secrets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/secret_string.h"

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
  static constexpr int kGramBits = 16;

  struct Node {
    State first_child = 0;          // up to first_child of the next state
    State fallback = kRoot;         // the longest proper suffix of this state that is a state
    std::uint32_t literal = kNone;  // the literal that ends here
    State shorter = kRoot;          // the next state along the fallbacks where a literal ends
    std::uint32_t depth = 0;
  };

  struct Literal {
    SecretString text;
    std::uint32_t index;
  };
  void Build(std::span<const Literal> literals);
  void Link();
  void MarkGram(std::string_view literal);

  std::size_t Slot(std::uint32_t gram) const { return ((gram & gram_bytes_) * 0x9e3779b1U) >> (32 - kGramBits); }
  // 1 or 0.
  std::uint64_t MayBeginAt(const char* at) const {
    std::uint32_t gram;
    std::memcpy(&gram, at, sizeof gram);
    const std::size_t slot = Slot(gram);
    return grams_[slot / 64] >> (slot % 64) & 1;
  }
  // The first position from `at` on where a literal may begin; the last few positions always count.
  std::size_t Skip(std::string_view text, std::size_t at) const {
    const char* const data = text.data();
    for (; at + kGram + 3 <= text.size(); at += 4) {  // four at a time have one branch and no dependency
      const std::uint64_t may =
          MayBeginAt(data + at) | MayBeginAt(data + at + 1) | MayBeginAt(data + at + 2) | MayBeginAt(data + at + 3);
      if (may != 0) break;
    }
    while (at + kGram <= text.size() && MayBeginAt(data + at) == 0) ++at;
    return at;
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

  std::uint32_t gram_bytes_;          // as many as the shortest literal has
  std::array<State, 256> first_{};    // the children of the root
  WipedVector<Node> nodes_;           // with a sentinel, so that every state has a next one
  WipedVector<unsigned char> bytes_;  // the letter of the transition into a state
  WipedVector<std::uint64_t> grams_;  // a bit for each hash of the first bytes of a literal
};

template <class OnMatch>
void LiteralFinder::ForEach(std::string_view text, OnMatch&& on_match) const {
  State state = kRoot;
  for (std::size_t at = Skip(text, 0); at < text.size(); ++at) {
    state = Next(state, static_cast<unsigned char>(text[at]));
    if (state == kRoot) {
      at = Skip(text, at + 1) - 1;
      continue;
    }
    State found = nodes_[state].literal != kNone ? state : nodes_[state].shorter;
    for (; found != kRoot; found = nodes_[found].shorter) {
      const std::size_t end = at + 1;
      if (!on_match(std::size_t{nodes_[found].literal}, end - nodes_[found].depth, end)) break;
    }
  }
}

}  // namespace turnlog
