// Every layout of jp: what becomes of it, and what goes out again.
#include "tests/migrate/jp_layouts.h"

#include <gmock/gmock.h>

#include "base/file_system.h"
#include "migrate/records/json_object.h"
#include "schema/json/json_fields.h"
#include "schema/json/json_layout.h"
#include "tests/migrate/import_fixture.h"
#include "tests/migrate/jp_vectors.h"
#include "tests/support/must.h"
#include "tests/support/shared_data.h"
#include "turnlog/event_json.h"

namespace turnlog::jp_layouts_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string Array(const std::vector<std::string>& elements) {
  std::string text = "[", pretty;
  for (const std::string& element : elements) text.append(text.size() == 1 ? "" : ",").append(element);
  AppendPretty(text + "]", 0, pretty);
  return pretty + "\n";
}

std::string Pretty(std::string_view json) {
  std::string pretty;
  AppendPretty(json, 0, pretty);
  return pretty + "\n";
}

class JpLayoutsTest : public ImportTest {
 protected:
  ImportReport Take(const std::map<std::string, std::string>& files, const std::string& folder = "17-a") {
    for (const auto& [name, bytes] : files) Write("jp/conversations/" + folder + "/" + name, bytes);
    return Jp();
  }

  // The files of the conversation 17.
  std::map<std::string, std::string> Out(const ExportOptions& options) {
    const auto out = dir_ / std::to_string(++exports_);
    last_ = Must(ExportToJp({Id("17")}, out, options));
    EXPECT_THAT(last_.failures, IsEmpty());
    return ReadTree(out / "17-a");
  }

  ExportReport last_;

 private:
  int exports_ = 0;
};

class EveryLayout : public JpLayoutsTest, public ::testing::WithParamInterface<JpLayoutSample> {};
INSTANTIATE_TEST_SUITE_P(Samples, EveryLayout, ::testing::ValuesIn(JpLayouts()));

TEST_P(EveryLayout, GoesOutByteByByteAsItCameIn) {
  const ImportReport report = Take(GetParam().files);
  EXPECT_EQ(report.added, 1);
  EXPECT_THAT(report.problems, IsEmpty());
  ASSERT_THAT(report.bytes, SizeIs(1));
  EXPECT_EQ(report.bytes[0].unreadable, 0);
  EXPECT_EQ(Out({.raw = true}), GetParam().files);
  EXPECT_EQ(Out({.raw = false}), GetParam().files);
  EXPECT_EQ(Jp().unchanged, 1);
}

TEST_P(EveryLayout, IsFoundByItsContents) {
  for (const auto& [name, bytes] : GetParam().files) Write("anywhere/17-a/" + name, bytes);
  const auto report = Must(Import(*log_, "auto", std::vector{dir_ / "anywhere"}));
  EXPECT_EQ(report.added, 1);
  EXPECT_THAT(report.problems, IsEmpty());
}

TEST_P(EveryLayout, GoesOutInTodaysLayout) {
  Take(GetParam().files);
  const auto files = Out({.raw = true, .layout = ExportLayout::kModern});
  EXPECT_EQ(files.at("events.json"), Array(GetParam().events));
  EXPECT_EQ(files.at("base_config.json"), Pretty(GetParam().config));
  EXPECT_EQ(files.at("metadata.json"), GetParam().files.at("metadata.json"));
  EXPECT_FALSE(files.contains("messages.json"));
  EXPECT_EQ(last_.left_out, 0);
  // Today's layout of it is the same in today's layout.
  std::filesystem::remove_all(dir_ / "jp");
  TempStore other;
  std::swap(log_, other.log);
  Take(files);
  EXPECT_EQ(Out({.raw = true}), files);
  std::swap(log_, other.log);
}

// Each kind is renamed in turn, as if the reader did not know it.
TEST_P(EveryLayout, KeepsKindsThatItDoesNotKnow) {
  const std::string& text = GetParam().history();
  const bool pairs = text.contains("\n    \"reply\"");
  std::size_t kinds = 0;
  // Where the new name is put: before the value of `type`, or before a name.
  const std::vector<std::string> marks = pairs ? std::vector<std::string>{"\n    \"message", "\n    \"reply"}
                                               : std::vector<std::string>{"\n    \"type\": \""};
  for (const std::string& mark : marks) {
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
      std::string renamed = text;
      renamed.insert(at + (pairs ? 6 : mark.size()), "x-");
      const auto history = ReadJpHistory(renamed, GetParam().packed(), GetParam().history_name());
      ASSERT_TRUE(history);
      EXPECT_EQ(WriteBack(*history), renamed);
      EXPECT_EQ(history->taken, renamed.size()) << renamed;
      EXPECT_THAT(history->problems, IsEmpty());
      ++kinds;
    }
  }
  EXPECT_GT(kinds, 0U);
}

TEST_F(JpLayoutsTest, AgreeWithTheReference) {
  TURNLOG_SHARED_OR_SKIP(file, "vectors/jp-import.json");
  const std::string vectors = Must(ReadFile(PosixFileSystem(), file));
  std::size_t seen = 0;
  for (const std::string_view text : ElementsOf(std::string_view(vectors).substr(vectors.find('[')))) {
    const JsonObject vector = JsonObject::Parse(text).value();
    SCOPED_TRACE(vector.String("name").value());
    std::filesystem::remove_all(dir_ / "jp");
    TempStore store;
    std::swap(log_, store.log);
    std::map<std::string, std::string> files;
    const JsonObject inputs = vector.Object("files");
    for (const auto& [name, json] : inputs.fields()) files[UnescapeJson(name)] = Pretty(json);
    EXPECT_EQ(Take(files).added, 1);
    EXPECT_EQ(Out({.raw = true}), files);
    const auto modern = Out({.raw = true, .layout = ExportLayout::kModern});
    EXPECT_EQ(modern.at("events.json"), Pretty(vector["expected_events"]));
    EXPECT_EQ(modern.at("base_config.json"), Pretty(vector["expected_base_config"]));
    std::swap(log_, store.log);
    ++seen;
  }
  EXPECT_EQ(seen, 16U);
}

TEST_F(JpLayoutsTest, KeepWhatHasNoFieldOfItsOwnAsMetadata) {
  Take(JpLayouts()[3].files);
  const std::vector<Event> events = Events("17");
  ASSERT_THAT(events, SizeIs(5));
  EXPECT_EQ(events[1].metadata.text(),
            R"({"message_pair":{"config_delta":{"a":1.50,"b":[]},"reply":{"provider":"anthropic"}}})");
}

TEST_F(JpLayoutsTest, RealHistoriesOf2025) {
  TURNLOG_SHARED_OR_SKIP(folder, "corpus/jp-2025");
  for (const char* commit : {"3d1ab2ba", "f56e8370"}) {
    TempStore store;
    std::swap(log_, store.log);
    const ImportReport report = Jp({folder / commit});
    EXPECT_THAT(report.problems, IsEmpty());
    for (const ImportedBytes& bytes : report.bytes) EXPECT_EQ(bytes.unreadable, 0);
    ASSERT_TRUE(ExportToJp(All(), dir_ / commit, {.raw = true}));
    EXPECT_EQ(ReadTree(dir_ / commit), ReadTree(folder / commit));
    std::swap(log_, store.log);
  }
}

// An event of a pair that is dropped or redacted does not cost the rest of it.
TEST_F(JpLayoutsTest, WriteTheEventsOfAChangedPairAsTodays) {
  Take(JpLayouts()[0].files);
  Append("17", ParseEvent(R"({"type":"repair","profile":"x","head":3,"from":3,"to":3,"items":[{"drop":3,"rule":"r"}]})")
                   .value());
  const std::string text = Out({}).at("messages.json");
  EXPECT_THAT(text, HasSubstr(R"("type": "chat_request")"));
  EXPECT_THAT(text, Not(HasSubstr("\"yo\"")));
  EXPECT_EQ(Out({.raw = true}), JpLayouts()[0].files);
}

// jp's main branch knows outcomes by their answers only, and no secrets.
TEST_F(JpLayoutsTest, ForTheMainBranchQuestionsAreFlat) {
  const std::string ask = R"({"timestamp":"2026-01-01 00:00:00.0","type":"inquiry_request","id":"c.q.3",)"
                          R"("source":{"source":"assistant"},"question":{"text":"?","answer_type":{"type":"secret"}}})";
  const JpLayoutSample& split = JpLayouts()[11];
  std::vector<std::string> events = split.events;
  events.push_back(ask);
  events.emplace_back(
      R"({"timestamp":"2026-01-01 00:00:00.0","type":"inquiry_response","outcome":"redacted","id":"c.q.3"})");
  events.emplace_back(R"({"timestamp":"2026-01-01 00:00:00.0","type":"turn_start","event_id":"e1","more":1})");
  events.emplace_back(R"({"timestamp":"2026-01-01 00:00:00.0","type":"chat_request"})");
  auto files = split.files;
  files["events.json"] = Array(events);
  Take(files);
  std::vector<std::string> flat = split.events;
  flat.erase(flat.begin() + 5);
  flat[6] = R"({"timestamp":"2025-06-01 10:00:02.0","type":"inquiry_response","id":"c.q.2","answer":true})";
  flat.emplace_back(R"({"timestamp":"2026-01-01 00:00:00.0","type":"turn_start"})");
  EXPECT_EQ(Out({.raw = true, .layout = ExportLayout::kJpMain}).at("events.json"), Array(flat));
  EXPECT_EQ(last_.left_out, 4);
  EXPECT_EQ(Out({.raw = true}), files);
}

TEST_F(JpLayoutsTest, TodaysLayoutHasATimeInEveryElement) {
  Take(
      {{"base_config.json", "{}"}, {"events.json", R"([{"type":"turn_start"},{"type":"later","a":1},{"no":"type"}])"}});
  EXPECT_EQ(Out({.raw = true, .layout = ExportLayout::kModern}).at("events.json"),
            Array({R"({"timestamp":"1970-01-01 00:00:01.7","type":"turn_start"})",
                   R"({"timestamp":"1970-01-01 00:00:01.7","type":"later","a":1})"}));
  EXPECT_EQ(last_.left_out, 1);
}

TEST_F(JpLayoutsTest, OtherFormatsHaveOneLayout) {
  const auto sink = [](std::string_view) { return Status(); };
  const auto report = ExportToStream(*log_, "jsonl", {}, sink, {.raw = true, .layout = ExportLayout::kModern});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace turnlog::jp_layouts_test
