// Any bytes as the answer of a service to its client: not understood, or written again and read as the same.
#include <string>
#include <string_view>
#include <variant>

#include "remote/append_batch.h"
#include "remote/append_message.h"
#include "remote/forms.h"
#include "remote/item_stream.h"
#include "remote/problem.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_bytes.h"

namespace {

using namespace turnlog;

template <class Read>
void ReadAndWrite(std::string_view json, Read read) {
  const auto value = read(json);
  if (!value) return;
  const std::string again = ToJson(*value);
  const auto same = read(again);
  Require(same && ToJson(*same) == again);
}

void ReadDocument(int which, std::string_view json) {
  if (which == 0) ReadAndWrite(json, ReadStore);
  if (which == 1) ReadAndWrite(json, ReadInfo);
  if (which == 2) ReadAndWrite(json, ReadInfos);
  if (which == 3) ReadAndWrite(json, ReadAttempts);
  if (which == 4) ReadAndWrite(json, ReadRepairs);
  if (which == 5) ReadAndWrite(json, ReadWatermark);
  if (which == 6) ReadAndWrite(json, ReadEraseReport);
  if (which == 7) ReadAndWrite(json, ReadRedactReport);
  if (which == 8) ReadAndWrite(json, ReadPosition);
  if (which == 9) (void)ReadAppendResult(json);
  if (which == 10) (void)ReadPending(json);
  if (which == 11) (void)ReadOutcomes(json), (void)ReadAnswer(json);
}

// All items of a stream, each with its length before it.
void ReadItems(std::string_view bytes) {
  for (;;) {
    const std::uint64_t length = ItemLength(bytes);
    if (length == 0 || length > bytes.size()) return;
    const auto item = ParseItem(bytes.substr(0, length));
    if (!item) return;
    bytes.remove_prefix(length);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  InputBytes input(data, size);
  const int which = input.Byte() % 13;
  const std::string_view bytes = input.Rest();
  if (which == 12) {
    ReadItems(bytes);
  } else {
    ReadDocument(which, bytes);
  }
  return 0;
}
