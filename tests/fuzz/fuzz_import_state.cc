// Any bytes as what an import has remembered of a source, and any text as its import record: not understood, or written
// again and read as the same.
#include <string>
#include <string_view>

#include "migrate/logged/import_record.h"
#include "migrate/logged/lines_state.h"
#include "migrate/logged/source_state.h"
#include "tests/fuzz/fuzz_target.h"
#include "turnlog/event_json.h"

namespace {

using namespace turnlog;

template <auto Decode, auto Encode>
void ReadState(std::string_view bytes) {
  const auto state = Decode(bytes);
  if (!state) return;
  const std::string again = Encode(*state);
  const auto same = Decode(again);
  Require(same && Encode(*same) == again);
}

void ReadRecord(std::string_view text) {
  EventParser parser;
  const auto event = parser.Parse(text);
  if (!event) return;
  const auto record = ReadImportEvent(*event);
  if (!record) return;
  const Event again = MakeImportEvent(*record);
  const auto same = ReadImportEvent(View(again));
  Require(same == record);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ReadState<DecodeLines, EncodeLines>(bytes);
  ReadState<DecodeSourceState, EncodeSourceState>(bytes);
  ReadRecord(bytes);
  return 0;
}
