#include "log/indexed_fields.h"

#include <gtest/gtest.h>

#include "schema/event/codec.h"
#include "tests/schema/sample_events.h"
#include "tests/support/must.h"

namespace turnlog::indexed_fields_test {
namespace {

constexpr std::uint64_t kSalt = 0x5A17;

class IndexedFieldsTest : public testing::TestWithParam<SampleEvent> {};

INSTANTIATE_TEST_SUITE_P(Of, IndexedFieldsTest, testing::ValuesIn(SampleEvents()),
                         [](const auto& sample) { return sample.param.name; });

TEST_P(IndexedFieldsTest, AreReadAloneAsWithTheWholeEvent) {
  const EventView event = View(GetParam().event);
  EventEncoder encoder;
  const std::string_view payload = encoder.Encode(event);
  const IndexedFields whole = IndexedFieldsOf(event, payload.size(), kSalt);
  const IndexedFields alone = Must(DecodeIndexedFields(event.kind(), payload, kSalt));
  EXPECT_EQ(ChangedField(whole, alone), "");
  EXPECT_EQ(alone.bytes, whole.bytes);
  EXPECT_EQ(alone.answered, whole.answered);
}

}  // namespace
}  // namespace turnlog::indexed_fields_test
