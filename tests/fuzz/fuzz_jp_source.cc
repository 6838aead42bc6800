// Any bytes as an events.json or messages.json of jp: read without losing a byte.
#include "migrate/jp/history_writer.h"
#include "migrate/jp/reader.h"
#include "migrate/jp/record.h"
#include "tests/fuzz/fuzz_source.h"

namespace turnlog {
namespace {

using SourceFiles = std::vector<std::pair<std::string, std::string>>;

std::string WriteBack(Source& source) {
  JpReader reader(source);
  ImportRecord record{.format = "jp", .source = "17"};
  std::vector<Event> events;
  for (;;) {
    const auto item = reader.Next();
    Require(item.has_value());
    Require(!std::holds_alternative<SourceFault>(*item));
    if (std::holds_alternative<EndOfSource>(*item)) break;
    if (const auto* part = std::get_if<SourcePart>(&*item)) record.parts[part->name] = part->bytes;
    if (const auto* event = std::get_if<SourceEvent>(&*item)) events.push_back(Own(event->event.View()));
  }
  const Event stored = MakeImportEvent(record);
  const auto imported = ReadImportEvent(View(stored));
  Require(imported == record);
  const auto read = ReadJpRecord(*imported);
  Require(read.has_value());
  std::string text;
  JpHistoryWriter writer(text);
  if (read->packed_config) writer.AddConfig(*read->packed_config);
  for (const Event& event : events) writer.Add(View(event));
  read->torn ? writer.FinishTorn(*read->torn) : writer.Finish(read->trailer);
  return text;
}

}  // namespace
}  // namespace turnlog

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace turnlog;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const SourceFiles split{{"base_config.json", "{}\n"}, {"events.json", text}}, packed{{"events.json", text}},
      pairs{{"messages.json", text}, {"metadata.json", R"({"last_activated_at":"2025-06-01 10:00:00.0"})"}};
  for (const SourceFiles& files : {split, packed, pairs}) {
    Source source = MemorySource("17", files);
    JpReader first(source);
    const std::vector<std::string> items = ReadItems(first, text.size());
    JpReader second(source);
    Require(ReadItems(second, text.size()) == items);
    Require(WriteBack(source) == text);
  }
  return 0;
}
