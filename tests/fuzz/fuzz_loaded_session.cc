// Any bytes as a session of each tool, read by the tool's loading rules: refused, or a list of messages.
#include <string_view>

#include "migrate/sessions/loaded_session.h"
#include "tests/fuzz/fuzz_target.h"
#include "turnlog/json.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  for (const SessionTool tool : AllSessionTools()) {
    const auto session = LoadSession(tool, file);
    Require(session ? ParseJson(session->messages).has_value() : session.error().code == ErrorCode::kCorruption);
  }
  return 0;
}
