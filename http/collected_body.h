// A body that is collected: it is needed as a whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/secret_string.h"
#include "http/message.h"

namespace turnlog {

class CollectedBody : public BodySink {
 public:
  static constexpr std::uint64_t kCostOfByte = 4;

  explicit CollectedBody(std::optional<std::uint64_t> length) : length_(length.value_or(0)) {}

  Status Take(std::string_view piece) override {
    // Not more than it needs in the end, and not all at once for a client that may never send it.
    if (const std::uint64_t size = text_.size() + piece.size(); size > reserved_ && length_ > 0) {
      reserved_ = std::min(length_, std::max(2 * size, kFirst));
      text_.Reserve(static_cast<std::size_t>(reserved_));
    }
    text_.Append(piece);
    return {};
  }
  // Handling takes its own: what a document is parsed to, or what a log encodes and writes.
  std::uint64_t cost() const override { return kCostOfByte * text_.size(); }
  SecretString Release() override { return std::exchange(text_, {}); }

 protected:
  std::string_view text() const { return text_.view(); }

 private:
  static constexpr std::uint64_t kFirst = std::uint64_t{64} << 10;

  const std::uint64_t length_;  // 0: not known
  std::uint64_t reserved_ = 0;  // if it is known
  SecretString text_;
};

}  // namespace turnlog
