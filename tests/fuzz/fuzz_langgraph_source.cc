// Any bytes as a database of LangGraph, and as MessagePack.
#include "migrate/langgraph/format.h"
#include "migrate/langgraph/msgpack.h"
#include "schema/json/json_scan.h"
#include "tests/fuzz/fuzz_databases.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  turnlog::FuzzDatabase(turnlog::kLangGraphFormat, text);
  const auto json = turnlog::MsgpackToJson(text);
  turnlog::Require(!json || !turnlog::FindJsonFault(*json));
  return 0;
}
