// Any bytes as a key or a value of the index: refused, or written again and read as the same.
#include <string>

#include "store/index/index_format.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_bytes.h"

namespace {

using namespace turnlog;

template <class DecodeFn, class EncodeFn>
void ReadAndWrite(std::string_view bytes, DecodeFn decode, EncodeFn encode) {
  const auto value = decode(bytes);
  if (!value) return;
  const std::string again = encode(*value);
  const auto same = decode(again);
  Require(same && encode(*same) == again);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  InputBytes input(data, size);
  const int what = input.Byte() % 8;
  const std::string_view bytes = input.Rest();
  (void)NumberOfKey(bytes);
  (void)DecodeNames(bytes);
  switch (what) {
    case 0:
      ReadAndWrite(bytes, DecodeMeta, EncodeMeta);
      break;
    case 1:
      ReadAndWrite(
          bytes, [](std::string_view entry) { return DecodeConversation("name", entry); },
          [](const ConversationEntry& entry) {
            return EncodeConversation(entry.state, {entry.last_block, entry.last_turns, entry.last_repairs});
          });
      break;
    case 2:
      ReadAndWrite(bytes, DecodeOffsetBlock, [](const auto& refs) { return EncodeOffsetBlock(refs); });
      break;
    case 3:
      ReadAndWrite(bytes, DecodeTurns, [](const auto& starts) { return EncodeTurns(starts); });
      break;
    case 4:
      ReadAndWrite(bytes, DecodeInquiries, EncodeInquiries);
      break;
    case 5:
      ReadAndWrite(bytes, DecodeRepairs, [](const auto& repairs) { return EncodeRepairs(repairs); });
      break;
    case 6:
      ReadAndWrite(bytes, DecodeWatermark, EncodeWatermark);
      break;
    default:
      ReadAndWrite(bytes, DecodeNumber, EncodeNumber);
  }
  return 0;
}
