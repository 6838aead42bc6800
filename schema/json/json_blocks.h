// Blocks: the objects in lists that messages of models are made of. A provider seals some of them (signatures,
// encrypted content) and refuses a block whose seal is missing or was changed, but not a message without that block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace turnlog {

enum class OuterBlock : std::uint8_t { kKeep, kRemove };

// The JSON without the blocks that the given sealed values belong to. `values`: where their tokens begin.
//
// A call, a message, and a text that a person reads keep everything but the sealed value, and so does an object that is
// not in a list: others refer to them. A list of contents that becomes empty gets a text "[redacted]" instead, because
// providers refuse empty messages. kRemove: if all of `json` is one block, perhaps with an object around it, nothing is
// left. REQUIRES: valid JSON.
std::string WithoutBlocks(std::string_view json, std::span<const std::size_t> values, OuterBlock outer);

}  // namespace turnlog
