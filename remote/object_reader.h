// Reads the fields of small JSON documents between client and service.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/json/json_tree.h"
#include "turnlog/result.h"
#include "turnlog/types.h"

namespace turnlog {

// A missing field, or one of another type, gives an empty value and clears ok().
class ObjectReader {
 public:
  // kInvalidArgument: the text is not one JSON object.
  static Result<ObjectReader> Parse(std::string_view json);

  bool ok() const { return *ok_; }
  std::string Text(std::string_view name) const { return Require(FindText(name)); }
  std::uint64_t Number(std::string_view name) const { return Require(FindNumber(name)); }
  bool Flag(std::string_view name) const { return Require(FindFlag(name)); }
  ObjectReader Object(std::string_view name) const;
  std::vector<ObjectReader> Objects(std::string_view name) const;
  std::vector<std::string> Texts(std::string_view name) const;
  std::vector<std::uint64_t> Numbers(std::string_view name) const;

  std::optional<std::string> FindText(std::string_view name) const;
  std::optional<std::uint64_t> FindNumber(std::string_view name) const;
  std::optional<bool> FindFlag(std::string_view name) const;
  std::optional<Timestamp> FindTime(std::string_view name) const;
  // The value as JSON text; empty if there is none.
  Json FindJson(std::string_view name) const;
  std::vector<std::string> Names() const;

 private:
  struct Document {
    Json text;
    JsonNode root;
  };

  ObjectReader(std::shared_ptr<const Document> document, const JsonNode& node, std::shared_ptr<bool> ok)
      : document_(std::move(document)), node_(&node), ok_(std::move(ok)) {}

  const JsonNode& Require(std::string_view name, JsonNode::Kind kind) const;
  template <class T>
  T Require(std::optional<T> value) const {
    if (!value) *ok_ = false;
    return std::move(value).value_or(T());
  }

  std::shared_ptr<const Document> document_;
  const JsonNode* node_;
  std::shared_ptr<bool> ok_;  // of the whole document
};

}  // namespace turnlog
