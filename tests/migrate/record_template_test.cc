// Templates: the bytes of a record come back from its events, whichever of them have some.
#include "migrate/records/record_template.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "migrate/records/foreign_event.h"

namespace turnlog::record_template_test {
namespace {

constexpr std::string_view kRecord = R"({"type":"other"})";

// Of a record that became `size` events, of which the one at `place` has the record as a whole.
std::string WrittenAgain(std::string_view lead, std::size_t place, std::size_t size) {
  std::vector<Event> events(size);
  for (Event& event : events) event.body = TurnStart();
  events[place] = MakeForeign("a format", kRecord, {}, {});
  const std::string source_text = MakeTemplate(lead, kRecord, {{Slot::kRecord, place, 0, kRecord.size()}}, events);
  TemplateFiller filler;
  filler.Begin(source_text);
  std::string out;
  for (const Event& event : events) {
    EXPECT_TRUE(filler.wants_event() || out.ends_with(kRecord));
    filler.Add(View(event), out);
  }
  EXPECT_FALSE(filler.wants_event());
  return out;
}

TEST(RecordTemplateTest, AnyOfTheEventsMayHaveTheBytes) {
  for (std::size_t size = 1; size < 4; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      EXPECT_EQ(WrittenAgain(" , ", place, size), " , " + std::string(kRecord)) << place << " of " << size;
    }
  }
}

TEST(RecordTemplateTest, ARecordThatNothingPrecedesMayBelongToALaterEvent) {
  for (std::size_t size = 1; size < 4; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      EXPECT_EQ(WrittenAgain("", place, size), kRecord) << place << " of " << size;
    }
  }
}

}  // namespace
}  // namespace turnlog::record_template_test
