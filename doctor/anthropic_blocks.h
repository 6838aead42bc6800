// What Anthropic's API requires of each block alone, whatever file it is in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "doctor/message_blocks.h"
#include "doctor/session_images.h"

namespace turnlog {

class AnthropicBlocks {
 public:
  explicit AnthropicBlocks(Diagnosis& diagnosis) : diagnosis_(diagnosis), images_(Provider::kAnthropic, diagnosis) {}

  // Marks what must be dropped, and edits what can be changed within a block. `model`: that the message came from.
  void Check(const SessionRecord& record, std::string_view model, MessageBlocks& message);
  SessionImages& images() { return images_; }

 private:
  void CheckThinking(const SessionRecord& record, std::string_view model, MessageBlock& block);
  void CheckResult(const SessionRecord& record, const MessageBlock& block);
  void CheckImage(const SessionRecord& record, std::string_view text, const JsonObject& image);
  void Drop(std::string_view rule, const SessionRecord& record, MessageBlock& block);

  Diagnosis& diagnosis_;
  SessionImages images_;
};

// Takes the signatures off thinking whose text is another one in `after`, because the provider checks them: the next
// pass removes such blocks. The records differ in texts only.
void UnsignChangedThinking(std::string_view before, std::string& after);

// Edits a result that answers no call into a text, or into its blocks.
void KeepResultAsText(const SessionRecord& record, const MessageBlock& result, TextEdits& edits);

// A `tool_result` that says that the call was interrupted. `id`: the JSON string.
std::string InterruptedResult(std::string_view id);

}  // namespace turnlog
