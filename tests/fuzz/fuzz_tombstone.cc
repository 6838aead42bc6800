// Any bytes as what is left of an erased event, and as the announcement of an erasure: refused, or written again and
// read as the same.
#include <string>

#include "store/erasure/tombstone.h"
#include "store/erasure/tombstone_fields.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_bytes.h"

namespace {

using namespace turnlog;

void ReadTombstone(std::string_view bytes, std::uint64_t position) {
  Frame frame{.header = {.type = FrameType::kTombstone, .kind = EventKind::kChatRequest}, .position = position};
  frame.payload = bytes;
  const auto erased = DecodeTombstone(frame);
  if (!erased || bytes.empty()) return;
  Require(erased->replacement.missing() || erased->replacement.position > position);
  const bool compressed = (static_cast<unsigned char>(bytes.front()) & 128) != 0;
  const std::string again = EncodeTombstoneFields(erased->fields, erased->replacement, compressed);
  frame.payload = again;
  const auto same = DecodeTombstone(frame);
  Require(same && EncodeTombstoneFields(same->fields, same->replacement, compressed) == again);
}

void ReadAnnouncement(std::string_view bytes, std::uint64_t position) {
  const auto frames = DecodeErasure(bytes, position);
  if (!frames) return;
  for (const Tombstone& frame : *frames) Require(frame.position < position && frame.end() <= position);
  const std::string again = EncodeErasure(*frames);
  const auto same = DecodeErasure(again, position);
  Require(same && EncodeErasure(*same) == again);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  InputBytes input(data, size);
  const std::uint64_t position = input.Number(4) * kFrameAlignment;
  const std::string_view bytes = input.Rest();
  ReadTombstone(bytes, position);
  ReadAnnouncement(bytes, position);
  return 0;
}
