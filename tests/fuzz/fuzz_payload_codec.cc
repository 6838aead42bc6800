// Any bytes as a compressed payload: decompressed to the length that it states, or refused. Any bytes as a payload:
// compressed and decompressed they are the same.
#include <string>

#include "store/segments/payload_codec.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_bytes.h"

namespace {

using namespace turnlog;

Frame FrameOf(std::uint8_t codec, std::string_view payload) {
  return {.header = {.length = static_cast<std::uint32_t>(payload.size()), .codec = codec},
          .position = 0,
          .payload = payload};
}

void Decompress(std::uint8_t codec, std::string_view bytes) {
  const Frame frame = FrameOf(codec, bytes);
  // Not from large ones: they only cost time.
  if (UnpackedLength(frame) > (std::uint64_t{16} << 20)) return;
  PayloadUnpacker unpacker;
  const auto payload = unpacker.Unpack(frame);
  if (payload) Require(payload->size() == UnpackedLength(frame));
}

void Compress(Compression compression, std::size_t least, std::string_view bytes) {
  std::string out(bytes.size(), '\0');
  const PackedPayload packed = PayloadPacker(compression).Pack(bytes, least, out);
  if (packed.codec == kNoCodec) return;
  Require(packed.length >= least && FrameBytes(packed.length) < FrameBytes(bytes.size()));
  const Frame frame = FrameOf(packed.codec, std::string_view(out).substr(0, packed.length));
  PayloadUnpacker unpacker;
  const auto payload = unpacker.Unpack(frame);
  Require(payload && *payload == bytes && UnpackedLength(frame) == bytes.size());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  InputBytes input(data, size);
  const std::size_t least = input.Byte();
  const std::string_view bytes = input.Rest();
  for (const std::uint8_t codec : {kLz4Codec, kZstdCodec}) Decompress(codec, bytes);
  for (const Compression compression : {Compression::kFast, Compression::kSmall}) Compress(compression, least, bytes);
  return 0;
}
