#include "store/engine/stored_payloads.h"

#include <algorithm>
#include <span>

#include "base/hash.h"
#include "store/erasure/tombstone_fields.h"
#include "store/segments/payload_codec.h"

namespace turnlog {

StoredPayloads::StoredPayloads(const PreparedEvents& events, Compression compression) {
  all_.reserve(events.events.size());
  for (const PreparedEvents::One& one : events.events) all_.push_back({.payload = one.payload, .hash = one.hash});
  if (compression == Compression::kNone) return;
  std::size_t total = 0;
  for (const One& one : all_) total += one.payload.size();
  compressed_ = WipedMemory(total);
  compressed_.BeginFilling();
  std::size_t used = 0, end = 0;
  PayloadPacker packer(compression);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    One& one = all_[i];
    const std::span<char> out = compressed_.all().subspan(end, one.payload.size());
    const PackedPayload packed = packer.Pack(one.payload, TombstoneFieldsBound(events.events[i].fields), out);
    used = std::max(used, end + packed.touched);
    if (packed.codec == kNoCodec) continue;
    const std::string_view payload(out.data(), packed.length);
    one = {.payload = payload, .hash = Hash64(payload), .codec = packed.codec};
    end += packed.length;
  }
  compressed_.EndFilling(compressed_.all().first(used));
}

}  // namespace turnlog
