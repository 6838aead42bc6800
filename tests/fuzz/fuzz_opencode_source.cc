// Any bytes as a database, an exported session, or a part in the storage of opencode.
#include "migrate/opencode/format.h"
#include "migrate/sqlite/database.h"
#include "tests/fuzz/fuzz_databases.h"
#include "tests/fuzz/fuzz_records.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  turnlog::FuzzDatabase(turnlog::kOpencodeFormat, text);
  const bool is_document = !text.starts_with(turnlog::kSqliteMagic) && !text.contains("projectID");
  if (is_document) turnlog::FuzzRecords(turnlog::kOpencodeFormat, "fuzz.json", text);
  const std::string session = R"({"id":"s","projectID":"p","title":"t","time":{"created":1}})";
  turnlog::Source source =
      turnlog::MemorySource("s.json", {{"s.json", session},
                                       {"../../message/s/m.json", R"({"id":"m","role":"assistant"})"},
                                       {"../../part/m/p.json", text}});
  const auto first = turnlog::kOpencodeFormat.import.read(source);
  const auto second = turnlog::kOpencodeFormat.import.read(source);
  turnlog::Require(turnlog::ReadItems(*first, SIZE_MAX) == turnlog::ReadItems(*second, SIZE_MAX));
  return 0;
}
