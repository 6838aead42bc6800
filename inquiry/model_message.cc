#include "inquiry/model_message.h"

#include <charconv>
#include <string>

#include "schema/json/json_tree.h"

namespace turnlog {
namespace {

constexpr std::string_view kMessage = "message";

}  // namespace

Json MessageMark(std::uint64_t message) {
  if (message == 0) return {};
  return Json::FromTrusted("{\"" + std::string(kMessage) + "\":" + std::to_string(message) + "}");
}

std::uint64_t MessageOf(const JsonView& metadata) {
  if (metadata.empty()) return 0;
  const JsonNode object = ParseTree(metadata);
  const JsonNode* const number = object.Find(kMessage);
  std::uint64_t message = 0;
  if (number == nullptr || !number->is(JsonNode::Kind::kNumber)) return 0;
  std::from_chars(number->text.data(), number->text.data() + number->text.size(), message);
  return message;
}

}  // namespace turnlog
