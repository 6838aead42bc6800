// Bodies of encoded events (event_batch.h, append_batch.h), which are decoded where they lie. They are collected, and
// their events are counted as they come: many small ones take far more memory than their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/collected_body.h"

namespace turnlog {

class EncodedBody : public CollectedBody {
 public:
  enum class Form : std::uint8_t { kEvents, kAppends };

  EncodedBody(Form form, std::optional<std::uint64_t> length) : CollectedBody(length), form_(form) {}

  Status Take(std::string_view piece) override;
  std::uint64_t cost() const override;
  std::uint64_t events() const { return events_; }

 private:
  bool TakeHead();

  const Form form_;
  std::uint64_t next_ = 0;    // where the next head begins
  std::uint64_t end_ = 0;     // of the events of the last append
  std::uint64_t events_ = 0;  // that have begun, and appends
};

}  // namespace turnlog
