// The record of a minimal log: length, position and checksum, 24 bytes, before each event.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "base/hash.h"
#include "bench/engine.h"

namespace turnlog {

inline constexpr std::size_t kRawHeader = 24;

inline void AppendRaw(std::uint32_t conversation, std::uint64_t seq, std::string_view payload, std::string& out) {
  const std::size_t at = out.size();
  out.resize(at + kRawHeader);
  StoreLittle(out.data() + at, static_cast<std::uint32_t>(payload.size()));
  StoreLittle(out.data() + at + 4, conversation);
  StoreLittle(out.data() + at + 8, seq);
  StoreLittle(out.data() + at + 16, Hash64(payload));
  out.append(payload);
}

inline void AppendRaw(const Batch& batch, std::string& out) {
  std::uint64_t seq = batch.first_seq;
  for (const std::string& payload : batch.payloads) AppendRaw(batch.conversation, seq++, payload, out);
}

}  // namespace turnlog
