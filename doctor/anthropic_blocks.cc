#include "doctor/anthropic_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "doctor/session_checks.h"
#include "providers/model_name.h"
#include "providers/sealed_value.h"
#include "schema/json/json_scan.h"

namespace turnlog {
namespace {

// Of a JSON string.
bool IsBlank(std::string_view token) {
  if (token.size() > 2 && static_cast<unsigned char>(token[1]) > ' ' && token[1] != '\\') return false;
  return IsJsonString(token) && UnescapeJson(token).find_first_not_of(" \t\r\n\v\f") == std::string::npos;
}

bool HasNoContent(std::string_view content) {
  return content.empty() || IsBlank(content) || (content.starts_with('[') && ElementsOf(content).empty());
}

}  // namespace

void AnthropicBlocks::Check(const SessionRecord& record, std::string_view model, MessageBlocks& message) {
  for (MessageBlock& block : message.blocks()) {
    if (block.type == "text") {
      if (IsBlank(block.object["text"])) Drop("empty-text", record, block);
    } else if (block.type == "thinking" || block.type == "redacted_thinking") {
      CheckThinking(record, model, block);
    } else if (block.type == "image") {
      CheckImage(record, block.text, block.object);
    } else if (block.type == "tool_result") {
      CheckResult(record, block);
    }
  }
}

void AnthropicBlocks::Drop(std::string_view rule, const SessionRecord& record, MessageBlock& block) {
  diagnosis_.Add(rule, {record.line(), record.Begin(block.text)}, true);
  block.dropped = true;
}

void AnthropicBlocks::CheckThinking(const SessionRecord& record, std::string_view model, MessageBlock& block) {
  const bool redacted = block.type == "redacted_thinking";
  const auto seal = block.object.String(redacted ? "data" : "signature");
  if (!seal || seal->empty()) return Drop("anthropic-thinking-unsigned", record, block);
  const SealedForm form = FormOf(*seal);
  if (form == SealedForm::kBroken) return Drop("opaque-altered", record, block);
  if (form == SealedForm::kToken) return Drop("opaque-foreign", record, block);
  const std::string_view text = block.object["thinking"];
  const bool needs_text = !redacted && !model.empty() && ModelName(model).IsBefore("claude", 4, 7);
  if (needs_text && (text.empty() || IsBlank(text))) Drop("anthropic-thinking-empty", record, block);
}

void AnthropicBlocks::CheckImage(const SessionRecord& record, std::string_view text, const JsonObject& image) {
  const JsonObject source = image.Object("source");
  if (source.String("type") != "base64" || !IsJsonString(source["data"]) || !IsJsonString(source["media_type"])) return;
  images_.Add(record, text, source["data"], source["media_type"]);
}

void AnthropicBlocks::CheckResult(const SessionRecord& record, const MessageBlock& block) {
  const std::string_view content = block.object["content"];
  if (block.object.IsTrue("is_error") && HasNoContent(content)) {
    diagnosis_.Add("anthropic-empty-error", {record.line(), record.Begin(block.text)}, true);
    const std::string text = fmt::format("\"{}\"", kFailedWithoutMessage);
    if (content.empty()) {
      diagnosis_.edits().Insert(record.End(block.text) - 1, fmt::format(",\"content\":{}", text));
    } else {
      diagnosis_.edits().Replace(record.Begin(content), record.End(content), text);
    }
  }
  MessageBlocks parts(content);
  for (MessageBlock& part : parts.blocks()) {
    if (part.type == "image") CheckImage(record, part.text, part.object);
    if (part.type == "text" && IsBlank(part.object["text"])) Drop("empty-text", record, part);
  }
  if (!parts.AllDropped()) return parts.Write(record, diagnosis_.edits());
  diagnosis_.edits().Replace(record.Begin(content), record.End(content), fmt::format("\"{}\"", kNoOutput));
}

void UnsignChangedThinking(std::string_view before, std::string& after) {
  const auto blocks = [](std::string_view text) {
    const JsonObject record = JsonObject::Parse(text).value_or(JsonObject());
    const std::string_view content = record["content"];
    return MessageBlocks(content.empty() ? record.Object("message")["content"] : content).blocks();
  };
  const std::vector<MessageBlock> old_blocks = blocks(before), new_blocks = blocks(after);
  for (std::size_t i = std::min(old_blocks.size(), new_blocks.size()); i-- > 0;) {
    const JsonObject& block = new_blocks[i].object;
    const std::string_view signature = block["signature"];
    if (new_blocks[i].type != "thinking" || signature.empty()) continue;
    if (block["thinking"] == old_blocks[i].object["thinking"]) continue;
    after.replace(static_cast<std::size_t>(signature.data() - after.data()), signature.size(), "\"\"");
  }
}

void KeepResultAsText(const SessionRecord& record, const MessageBlock& result, TextEdits& edits) {
  const std::string_view content = result.object["content"];
  const std::uint64_t begin = record.Begin(result.text), end = record.End(result.text);
  const std::string opening = fmt::format(R"({{"type":"text","text":"{})", kStrayResult);
  if (HasNoContent(content) || (!IsJsonString(content) && !content.starts_with('['))) {
    return edits.Replace(begin, end, opening + "\"}");
  }
  const bool text = IsJsonString(content);
  edits.Replace(begin, record.Begin(content) + 1, opening + (text ? "" : "\"},"));
  edits.Replace(text ? record.End(content) : record.End(content) - 1, end, text ? "}" : "");
}

std::string InterruptedResult(std::string_view id) {
  return fmt::format(R"({{"type":"tool_result","content":"{}","is_error":true,"tool_use_id":{}}})", kInterruptedCall,
                     id);
}

}  // namespace turnlog
