// A large event for who looks through a conversation: its long texts are cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace turnlog {

// Events that are stored in more bytes are cut.
inline constexpr std::size_t kCutEvent = std::size_t{64} << 10;

// `event`: a JSON object, of which some 64 KiB are left: strings are cut to 4,000 bytes, fields that still have more
// than 16 KiB are left out, and so is what comes after the first 64 KiB.
void AppendCutEvent(std::string_view event, std::string& out);

}  // namespace turnlog
