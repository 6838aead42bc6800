// Any header and payload as a frame: read as it was written, and with a flipped bit or in another place not at all.
#include <string>

#include "store/segments/frame.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_bytes.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  InputBytes input(data, size);
  const std::uint32_t version = input.Byte() % 2 == 0 ? kFormatVersion : kOldestFormatVersion;
  const FrameCodec codec(input.Number(8), version);
  const unsigned types = version == kOldestFormatVersion ? 8 : 15;
  const FrameHeader header{.type = static_cast<FrameType>(1 + input.Byte() % types),
                           .kind = static_cast<EventKind>(input.Byte()),
                           .batch_continues = input.Byte() % 2 != 0,
                           .conversation = static_cast<std::uint32_t>(input.Number(4)),
                           .durable_back = static_cast<std::uint32_t>(input.Number(4)),
                           .seq = input.Number(6)};
  const std::uint64_t position = input.Number(5) * kFrameAlignment;
  const std::uint64_t flipped = input.Number(2);
  const std::string_view payload = input.Rest();
  std::string bytes;
  codec.Append(header, payload, Hash64(payload), position, bytes);
  Require(bytes.size() == FrameBytes(payload.size()));

  const auto frame = codec.Read(bytes, bytes.size(), position);
  Require(frame && frame->payload == payload && frame->end() == position + bytes.size());
  Require(frame->header.type == header.type && frame->header.kind == header.kind && frame->header.seq == header.seq);
  Require(frame->header.conversation == header.conversation && frame->header.durable_back == header.durable_back);
  Require(frame->header.batch_continues == header.batch_continues);
  Require(frame->header.DurableClaim(position).value_or(0) <= position);

  Require(!codec.Read(bytes, bytes.size() - 1, position) && !codec.Read(bytes, bytes.size(), position + 8));
  const std::size_t bit = flipped % ((kFrameHeaderBytes + payload.size()) * 8);
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  Require(!codec.Read(bytes, bytes.size(), position));
  (void)codec.Read({reinterpret_cast<const char*>(data), size}, size, 0);
  return 0;
}
