// The report of a redaction between service and client: nothing of it is lost.
#include "remote/redaction_form.h"

#include <gtest/gtest.h>

#include "tests/support/must.h"

namespace turnlog::redaction_form_test {
namespace {

const ValueLocation kEvent{.file = {}, .offset = 0, .conversation = "talk \"a\"", .seq = {7}, .field = "content"};
const ValueLocation kBytes{
    .file = "log/\xff\x01.seg", .offset = UINT64_MAX, .conversation = {}, .seq = {}, .field = {}};

RedactionPlan FullPlan() {
  return {.values = 1,
          .events_read = 2,
          .conversations_read = 3,
          .conversations = {{"talk", {{Seq{4}, {"given-value", "jwt"}}, {Seq{5}, {}}}, {}}, {"other", {}, {Seq{6}}}},
          .secrets = {{"fp", "jwt", "why", {kEvent}, 8, Timestamp{1'700'000'000'123'456'789}, Timestamp{9}, true}, {}},
          .kept = {kEvent},
          .opaque = {kEvent, kEvent},
          .unsearched = {{"", {}, 3, "given-value", "too short"}, {"talk", {9}, 0, "jwt", "too common"}},
          .damage = {{"log/\xfe.seg", 10, 11, "talk", 12, "a reason"}}};
}

RedactionProof FullProof() {
  return {.time = {1'700'000'000'000'000'001},
          .store_id = "id",
          .rules = {"jwt"},
          .values = 1,
          .unsearched = 2,
          .conversations = {{"talk", {{Seq{4}, {"jwt"}}}, {Seq{13}}}},
          .files = 3,
          .bytes = 4,
          .index_entries = 5,
          .compressed_records = 6,
          .sources = 7,
          .left_count = 8,
          .left = {kBytes},
          .problems = {"log/\xff: unreadable", "plain"}};
}

TEST(RedactionFormTest, AReportIsReadAsItWasWritten) {
  const RedactionProof proof = FullProof();
  const std::string written = ToJson(FullPlan(), &proof);
  const RemoteRedaction read = Must(ReadRedaction(written));
  EXPECT_EQ(ToJson(read.plan, &read.proof), written);
  EXPECT_EQ(read.proof.left[0].file, kBytes.file);
  EXPECT_EQ(read.proof.left[0].offset, kBytes.offset);
  EXPECT_EQ(read.proof.problems, proof.problems);
  EXPECT_EQ(read.plan.damage[0].file, "log/\xfe.seg");
  EXPECT_EQ(read.plan.secrets[0].first, Timestamp{1'700'000'000'123'456'789});
}

TEST(RedactionFormTest, OtherDocumentsAreNoReport) {
  for (const std::string& text : {std::string(), std::string("{}"), ToJson(FullPlan(), nullptr)}) {
    EXPECT_EQ(CodeOf(ReadRedaction(text)), "i/o error") << text;
  }
}

}  // namespace
}  // namespace turnlog::redaction_form_test
