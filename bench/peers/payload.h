// Shared by peers that store encoded events under a key.
#pragma once

#include <cstring>
#include <vector>

#include "base/hash.h"
#include "bench/engine.h"
#include "schema/event/codec.h"

namespace turnlog {

// Decodes a payload of any alignment.
class PayloadReader {
 public:
  EventView Read(std::string_view payload) { return Must(DecodeEvent(Aligned(payload))); }

  void See(std::string_view payload, Depth depth, Seen& seen) {
    ++seen.events;
    seen.check += payload.size();
    if (depth == Depth::kRecord) return;
    seen.check += static_cast<std::uint64_t>(Must(DecodeTime(Aligned(payload))).value_or(Timestamp{}).nanos);
  }

 private:
  std::string_view Aligned(std::string_view payload) {
    words_.resize(payload.size() / sizeof(std::uint64_t) + 1);
    std::memcpy(words_.data(), payload.data(), payload.size());
    return {reinterpret_cast<const char*>(words_.data()), payload.size()};
  }

  std::vector<std::uint64_t> words_;
};

// Calls `use(id, seq)` for each inquiry request in the batch.
template <class UseFn>
void ForEachInquiry(const Batch& batch, UseFn use) {
  for (std::size_t i = 0; i < batch.events.size(); ++i) {
    const auto* request = std::get_if<BasicInquiryRequest<std::string_view>>(&batch.events[i].body);
    if (request != nullptr) use(HashId(request->id.text, 0), batch.first_seq + i);
  }
}

}  // namespace turnlog
