#include "tests/migrate/read_source.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "migrate/records/record_source.h"
#include "migrate/records/record_writer.h"
#include "migrate/sources/source.h"
#include "tests/migrate/located_code.h"
#include "tests/support/memory_bytes.h"
#include "tests/support/must.h"
#include "turnlog/event_json.h"

namespace turnlog {
namespace {

class Reading {
 public:
  explicit Reading(Source& source) : source_(source) {}

  ReadSource Run(const Format& format) {
    const auto reader = format.import.read(source_);
    for (;;) {
      SourceItem item = Must(reader->Next());
      if (const auto* end = std::get_if<EndOfSource>(&item)) {
        read_.taken += end->size;
        read_.source_size = end->source_size;
        break;
      }
      std::visit([&](auto& each) { Take(each); }, item);
    }
    for (auto& [name, conversation] : read_.conversations) {
      conversation.written.insert(0, conversation.parts[std::string(kHeaderPart)]);
      conversation.written += conversation.parts[std::string(kTrailerPart)];
    }
    return std::move(read_);
  }

 private:
  void Take(EndOfSource&) {}
  void Take(SourceResumePoint&) {}

  void Take(SourceEvent& item) {
    const EventView event = item.event.View();
    const Status valid = Validate(event);
    EXPECT_TRUE(valid) << valid.error().message << ToJson(event);
    const std::string name(item.conversation);
    ReadConversation& conversation = read_.conversations[name];
    writers_[name].Add(event, conversation.written);
    conversation.events.push_back(Own(event));
    const SourceLocation in_file{.file = {}, .element = {}, .line = item.location.line, .byte = {}};
    const auto add = [&](ImportReason reason, std::vector<std::string>& to) {
      if (!reason.empty()) to.push_back(LocatedCode(At(in_file, std::move(reason))));
    };
    if (!item.is_quarantined()) read_.taken += item.size;
    if (item.remarks == nullptr) return;
    add({ImportProblemCode::kQuarantined, item.remarks->problem}, read_.problems);
    add(item.remarks->note, read_.notes);
  }

  void Take(SourcePart& part) {
    read_.taken += part.size;
    read_.conversations[std::string(part.conversation)].parts[part.name] = part.bytes;
  }

  void Take(SourceFault& fault) { read_.problems.push_back(LocatedCode(fault.problem)); }
  void Take(SourceNote& note) {
    (note.weight == SourceNote::Weight::kProblem ? read_.problems : read_.notes).push_back(LocatedCode(note.note));
  }

  Source& source_;
  ReadSource read_;
  std::map<std::string, RecordWriter> writers_;
};

}  // namespace

ReadSource ReadAll(const Format& format, Source& source) { return Reading(source).Run(format); }

ReadSource ReadFiles(const Format& format, const SourceFiles& files) {
  Source source;
  std::uint64_t size = 0;
  source.path = source.name = files.front().first;
  for (const auto& [name, bytes] : files) {
    source.files.emplace_back(name, std::make_shared<MemoryBytes>(bytes));
    size += bytes.size();
  }
  ReadSource read = ReadAll(format, source);
  read.size = size;
  return read;
}

void ExpectThatUnknownKindsAreKept(const Format& format, const std::string& file, const std::string& sample) {
  constexpr std::string_view kType = R"("type":")";
  std::size_t kinds = 0;
  for (std::size_t at = sample.find(kType); at != std::string::npos; at = sample.find(kType, at + 1)) {
    std::string text = sample;
    text.insert(at + kType.size(), "x-");
    ReadSource read = ReadFiles(format, {{file, text}});
    EXPECT_EQ(read.only().written, text) << at;
    EXPECT_EQ(read.taken, text.size()) << at;
    EXPECT_TRUE(read.problems.empty()) << at;
    ++kinds;
  }
  EXPECT_GT(kinds, 0U);
}

std::vector<std::string> Shapes(const std::vector<Event>& events) {
  std::vector<std::string> shapes;
  for (Event event : events) {
    const bool verbatim = std::holds_alternative<Verbatim>(event.body);
    event.source_text.reset();
    event.timestamp.reset();
    event.event_id.reset();
    event.metadata = {};
    shapes.push_back(verbatim && event.kind() == EventKind::kUnknown ? std::get<Verbatim>(event.body).tag
                                                                     : ToJson(View(event)));
  }
  return shapes;
}

}  // namespace turnlog
