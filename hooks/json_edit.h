// Changes of a JSON text that leave every other byte as it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace turnlog {

// A value, or a field with its key, in a text.
struct JsonItem {
  std::string_view key;  // with quotes; empty in an array
  std::string_view value;
  std::size_t begin = 0, end = 0;  // in the text
};

// The items of an object or array. REQUIRES of all functions: `text` is valid JSON, and `container` is a part of it.
std::vector<JsonItem> ItemsOf(std::string_view text, std::string_view container);

// The text with one more item, `key` (empty in an array) and `value`, at the end of the container, in the layout of the
// items before.
std::string WithItem(std::string_view text, std::string_view container, std::string_view key, std::string_view value);

// The text without the item of this index: what WithItem has made of a container that was not empty becomes again what
// it was.
std::string WithoutItem(std::string_view text, std::string_view container, std::size_t index);

}  // namespace turnlog
