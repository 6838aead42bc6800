// What `logctl doctor` writes in place of what a provider refuses. Files have these texts: they do not change.
#pragma once

#include <string_view>

namespace turnlog {

// The result of a call that has none.
inline constexpr std::string_view kInterruptedCall = "Tool call was interrupted.";
// What precedes a result that is kept as a text.
inline constexpr std::string_view kStrayResult = "[Result of a tool call that is not in this session] ";
// Instead of nothing: of an error, of a result.
inline constexpr std::string_view kFailedWithoutMessage = "The tool failed without a message.";
inline constexpr std::string_view kNoOutput = "(no output)";
// Before the kind of an element that jp cannot read.
inline constexpr std::string_view kUnreadableKind = "unreadable_";
// An image, followed by the rule that it breaks and "]".
inline constexpr std::string_view kRefusedImage = "[An image was here that the provider refuses: ";

}  // namespace turnlog
