#include "remote/object_reader.h"

#include <charconv>
#include <utility>

#include "base/try.h"

namespace turnlog {
namespace {

std::optional<std::uint64_t> ToNumber(const JsonNode& node) {
  std::uint64_t number = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto [stop, error] = std::from_chars(node.text.data(), end, number);
  const bool whole = node.is(JsonNode::Kind::kNumber) && error == std::errc() && stop == end;
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

Result<ObjectReader> ObjectReader::Parse(std::string_view json) {
  auto document = std::make_shared<Document>();
  document->text = TURNLOG_TRY(ParseJson(json));
  document->root = ParseTree(document->text);
  if (!document->root.is(JsonNode::Kind::kObject)) {
    return std::unexpected(Error{ErrorCode::kInvalidArgument, "must be a JSON object"});
  }
  const JsonNode& root = document->root;
  return ObjectReader(std::move(document), root, std::make_shared<bool>(true));
}

const JsonNode& ObjectReader::Require(std::string_view name, JsonNode::Kind kind) const {
  static const JsonNode none;
  const JsonNode* const field = node_->Find(name);
  if (field != nullptr && field->is(kind)) return *field;
  *ok_ = false;
  return none;
}

ObjectReader ObjectReader::Object(std::string_view name) const {
  return {document_, Require(name, JsonNode::Kind::kObject), ok_};
}

std::vector<ObjectReader> ObjectReader::Objects(std::string_view name) const {
  std::vector<ObjectReader> objects;
  for (const JsonNode& element : Require(name, JsonNode::Kind::kArray).elements) {
    *ok_ = *ok_ && element.is(JsonNode::Kind::kObject);
    objects.push_back({document_, element, ok_});
  }
  return objects;
}

std::vector<std::string> ObjectReader::Texts(std::string_view name) const {
  std::vector<std::string> texts;
  for (const JsonNode& element : Require(name, JsonNode::Kind::kArray).elements) {
    *ok_ = *ok_ && element.is(JsonNode::Kind::kString);
    texts.push_back(element.string);
  }
  return texts;
}

std::vector<std::uint64_t> ObjectReader::Numbers(std::string_view name) const {
  std::vector<std::uint64_t> numbers;
  for (const JsonNode& element : Require(name, JsonNode::Kind::kArray).elements) {
    numbers.push_back(Require(ToNumber(element)));
  }
  return numbers;
}

std::optional<std::string> ObjectReader::FindText(std::string_view name) const {
  const JsonNode* const field = node_->Find(name);
  if (field == nullptr || !field->is(JsonNode::Kind::kString)) return std::nullopt;
  return field->string;
}

std::optional<std::uint64_t> ObjectReader::FindNumber(std::string_view name) const {
  const JsonNode* const field = node_->Find(name);
  return field == nullptr ? std::nullopt : ToNumber(*field);
}

std::optional<bool> ObjectReader::FindFlag(std::string_view name) const {
  const JsonNode* const field = node_->Find(name);
  if (field == nullptr || !field->is(JsonNode::Kind::kBool)) return std::nullopt;
  return field->is_true();
}

std::optional<Timestamp> ObjectReader::FindTime(std::string_view name) const {
  const auto text = FindText(name);
  if (!text) return std::nullopt;
  const auto time = Timestamp::ParseRfc3339(*text);
  return time ? std::optional(*time) : std::nullopt;
}

Json ObjectReader::FindJson(std::string_view name) const {
  const JsonNode* const field = node_->Find(name);
  return field == nullptr ? Json() : field->json();
}

std::vector<std::string> ObjectReader::Names() const {
  std::vector<std::string> names;
  for (const JsonNode& field : node_->fields) names.push_back(field.key);
  return names;
}

}  // namespace turnlog
