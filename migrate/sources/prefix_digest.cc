#include "migrate/sources/prefix_digest.h"

#include <algorithm>

#include "base/hash.h"

namespace turnlog {

void PrefixDigest::Add(std::string_view bytes) {
  if (!rest_.empty()) {
    const std::string_view begin = bytes.substr(0, kBlock - rest_.size());
    rest_ += begin;
    bytes.remove_prefix(begin.size());
    if (rest_.size() < kBlock) return;
    chain_ = Hash64(rest_, chain_);
    size_ += kBlock;
    last_ = std::move(rest_);
    rest_.clear();
  }
  const std::size_t whole = bytes.size() - bytes.size() % kBlock;
  for (std::size_t at = 0; at < whole; at += kBlock) chain_ = Hash64(bytes.substr(at, kBlock), chain_);
  size_ += whole;
  if (whole > 0) last_ = bytes.substr(whole - kBlock, kBlock);
  rest_ = bytes.substr(whole);
}

std::uint64_t PrefixDigest::Value() const { return Hash64(rest_, chain_ ^ size()); }

}  // namespace turnlog
