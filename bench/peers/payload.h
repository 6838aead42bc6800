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

// Reads the end of a conversation backward. `Peer` has ReadBackward(conversation, take), which calls `take(payload)`
// until it returns false, and may have a See of its own.
template <class Peer>
class PayloadEngine : public Engine {
 public:
  Seen ReadLast(std::uint32_t conversation, std::uint64_t count) final {
    Seen seen;
    peer().ReadBackward(conversation, [&](std::string_view payload) {
      peer().See(payload, Depth::kRecord, seen);
      return seen.events < count;
    });
    return seen;
  }

  Seen ReadLastTurn(std::uint32_t conversation) final {
    Seen seen;
    peer().ReadBackward(conversation, [&](std::string_view payload) {
      peer().See(payload, Depth::kRecord, seen);
      return payload_.Read(payload).kind() != EventKind::kTurnStart;
    });
    return seen;
  }

 protected:
  void See(std::string_view payload, Depth depth, Seen& seen) { payload_.See(payload, depth, seen); }

  PayloadReader payload_;

 private:
  Peer& peer() { return static_cast<Peer&>(*this); }
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
