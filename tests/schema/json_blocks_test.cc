// Removing blocks from JSON: what is left is valid and what a provider accepts.
#include "schema/json/json_blocks.h"

#include <gtest/gtest.h>

#include <vector>

namespace turnlog::json_blocks_test {
namespace {

// Without the blocks of all values "S".
std::string Without(std::string_view json, OuterBlock outer = OuterBlock::kKeep) {
  std::vector<std::size_t> values;
  for (std::size_t at = json.find(R"("S")"); at != std::string_view::npos; at = json.find(R"("S")", at + 1)) {
    values.push_back(at);
  }
  return WithoutBlocks(json, values, outer);
}

TEST(JsonBlocks, AreElementsOfLists) {
  EXPECT_EQ(Without(R"([1, {"a":"S"}, 2])"), "[1, 2]");
  EXPECT_EQ(Without(R"([{"a":"S"}, 1])"), "[1]");
  EXPECT_EQ(Without(R"([1 , {"a":"S"}])"), "[1 ]");
  EXPECT_EQ(Without(R"([{"a":"S"},{"b":[],"a":"S"} , 3,{"a":"S"},{"a":"S"}])"), "[3]");
  EXPECT_EQ(Without(R"([[{"a":"S"}],{"x":[{"a":"S"}]}])"), R"([[],{"x":[]}])");
}

TEST(JsonBlocks, WithMoreThanTheirSealLoseOnlyThat) {
  EXPECT_EQ(Without(R"([{"functionCall":{"name":"f"}, "thoughtSignature":"S"}])"),
            R"([{"functionCall":{"name":"f"}}])");
  EXPECT_EQ(Without(R"([{"signature":"S", "type":"tool_use", "input":{}}])"), R"([{"type":"tool_use", "input":{}}])");
  EXPECT_EQ(Without(R"([{"text":"x","thoughtSignature":"S"}])"), R"([{"text":"x"}])");
  EXPECT_EQ(Without(R"([{"text":"x","thought":true,"thoughtSignature":"S"},1])"), "[1]");
  EXPECT_EQ(Without(R"({"n":[1], "signature":"S"})"), R"({"n":[1]})");
  EXPECT_EQ(Without(R"({"type":"reasoning","encrypted_content":"S"})"), R"({"type":"reasoning"})");
}

TEST(JsonBlocks, WhoseSealIsInAnObjectOfItsOwn) {
  EXPECT_EQ(Without(R"([{"type":"reasoning","text":"x","providerMetadata":{"p":{"signature":"S"}}},1])"), "[1]");
  EXPECT_EQ(Without(R"([{"type":"text","text":"x","providerMetadata":{"p":{"signature":"S"}}},1])"),
            R"([{"type":"text","text":"x","providerMetadata":{"p":{}}},1])");
}

TEST(JsonBlocks, LeaveNoMessageEmpty) {
  EXPECT_EQ(Without(R"({"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"S"}]})"),
            R"({"role":"assistant","content":[{"type":"text","text":"[redacted]"}]})");
  EXPECT_EQ(Without(R"({"content":[{"type":"thinking","signature":"S"},{"type":"redacted_thinking","data":"S"}]})"),
            R"({"content":[{"type":"text","text":"[redacted]"}]})");
  EXPECT_EQ(Without(R"({"type":"web_search_tool_result","content":[{"url":"u","encrypted_content":"S"}]})"),
            R"({"type":"web_search_tool_result","content":[]})");
}

TEST(JsonBlocks, MayBeAllThereIs) {
  EXPECT_EQ(Without(R"({"payload":{"type":"reasoning","encrypted_content":"S"}})", OuterBlock::kRemove), "");
  EXPECT_EQ(Without(R"({"payload":{"type":"function_call","x":"S"}})", OuterBlock::kRemove),
            R"({"payload":{"type":"function_call"}})");
  EXPECT_EQ(Without(R"({"content":[{"type":"thinking","signature":"S"},1]})", OuterBlock::kRemove),
            R"({"content":[1]})");
}

}  // namespace
}  // namespace turnlog::json_blocks_test
