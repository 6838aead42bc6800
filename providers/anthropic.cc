// The rules of Anthropic's Messages API.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "providers/checks.h"
#include "providers/image_checks.h"
#include "providers/known_types.h"
#include "providers/shared_checks.h"

namespace turnlog {
namespace {

using Kind = JsonNode::Kind;
constexpr std::size_t kMaxCacheMarks = 4;

// Messages of one role that follow one another count as one.
struct Message {
  bool assistant = false;
  const JsonNode* node = nullptr;       // the first of them
  std::vector<const JsonNode*> blocks;  // a text alone is a block, too
};

std::string_view TypeOf(const JsonNode& block) {
  return block.is(Kind::kString) ? std::string_view("text") : TextOf(block, "type");
}
std::string_view BlockText(const JsonNode& block) {
  return block.is(Kind::kString) ? std::string_view(block.string) : TextOf(block, "text");
}
bool IsThinking(const JsonNode& block) { return TypeOf(block) == "thinking" || TypeOf(block) == "redacted_thinking"; }
bool IsCall(const JsonNode& block) { return TypeOf(block) == "tool_use"; }
bool IsResult(const JsonNode& block) { return TypeOf(block) == "tool_result"; }
bool IsServerCall(const JsonNode& block) {
  return TypeOf(block) == "server_tool_use" || TypeOf(block) == "mcp_tool_use";
}
bool IsServerResult(const JsonNode& block) { return !IsResult(block) && TypeOf(block).ends_with("_tool_result"); }

class AnthropicChecks {
 public:
  AnthropicChecks(const LintedRequest& request, Findings& findings)
      : request_(request), findings_(findings), images_(request.provider, findings) {}

  void Run() {
    ReadMessages();
    for (std::size_t i = 0; i < messages_.size(); ++i) CheckMessage(i);
    if (!messages_.empty() && messages_.front().assistant) Add(RuleId::kAnthropicFirstMessage, *messages_.front().node);
    CheckEnd();
    CheckThinkingFirst();
    CheckTools();
    CheckCacheMarks();
    images_.Finish();
  }

 private:
  void Add(RuleId rule, const JsonNode& at, std::string detail = {}) { findings_.Add(rule, at, std::move(detail)); }

  void ReadMessages() {
    for (const JsonNode& node : request_.list.elements) {
      const std::string_view role = TextOf(node, "role");
      if (role != "user" && role != "assistant") {
        Add(RuleId::kShape, node, "`role` must be user or assistant");
        continue;
      }
      const bool assistant = role == "assistant";
      if (messages_.empty() || messages_.back().assistant != assistant) messages_.push_back({assistant, &node, {}});
      ReadBlocks(node, &node == &request_.list.elements.back());
    }
  }

  void ReadBlocks(const JsonNode& node, bool last) {
    Message& message = messages_.back();
    const JsonNode* content = node.Find("content");
    if (content == nullptr || (!content->is(Kind::kString) && !content->is(Kind::kArray))) {
      return Add(RuleId::kShape, node, "`content` must be a text or an array of blocks");
    }
    const bool empty = content->is(Kind::kString) ? content->string.empty() : content->elements.empty();
    if (empty && !(message.assistant && last)) Add(RuleId::kEmptyMessage, node);
    if (empty) return;
    if (content->is(Kind::kString)) message.blocks.push_back(content);
    for (const JsonNode& block : content->elements) {
      if (TypeOf(block).empty()) Add(RuleId::kShape, block, "a block must have a `type`");
      CheckType(request_.provider, block, findings_);
      message.blocks.push_back(&block);
    }
  }

  void CheckMessage(std::size_t index) {
    const Message& message = messages_[index];
    for (const JsonNode* block : message.blocks) CheckBlock(*block, message.assistant);
    if (message.assistant) {
      CheckServerCalls(message, index + 1 == messages_.size());
      CheckResults(message, index + 1 < messages_.size() ? &messages_[index + 1] : nullptr);
    } else if (index == 0) {
      for (const JsonNode* block : message.blocks) {
        if (IsResult(*block)) Add(RuleId::kAnthropicStrayResult, *block);
      }
    }
  }

  void CheckBlock(const JsonNode& block, bool assistant) {
    if (block.Find("cache_control") != nullptr) cache_marks_.push_back(&block);
    if (TypeOf(block) == "text") {
      if (IsBlank(BlockText(block))) Add(RuleId::kEmptyText, block);
    } else if (IsThinking(block)) {
      CheckThinking(block);
    } else if (TypeOf(block) == "image") {
      CheckImage(block);
    } else if (IsCall(block)) {
      CheckCall(block);
    } else if (IsResult(block)) {
      CheckResult(block);
    }
    const bool misplaced = assistant ? IsResult(block) : IsThinking(block) || IsCall(block) || IsServerCall(block);
    if (misplaced) Add(RuleId::kShape, block, "a block of this type is not allowed in a message of this role");
  }

  void CheckThinking(const JsonNode& block) {
    const bool redacted = TypeOf(block) == "redacted_thinking";
    if (redacted && !RequireString(block, "data", findings_)) return;
    const JsonNode* seal = block.Find(redacted ? "data" : "signature");
    if (seal == nullptr || !seal->is(Kind::kString) || seal->string.empty()) {
      return Add(RuleId::kAnthropicThinkingUnsigned, block);
    }
    CheckSealed(*seal, false, findings_);
    if (redacted || !RequireString(block, "thinking", findings_)) return;
    const bool needs_text = request_.model.IsBefore("claude", 4, 7);
    if (needs_text && IsBlank(TextOf(block, "thinking"))) Add(RuleId::kAnthropicThinkingEmpty, block);
  }

  void CheckImage(const JsonNode& block) {
    const JsonNode* source = block.Find("source");
    if (source == nullptr || !source->is(Kind::kObject))
      return Add(RuleId::kShape, block, "`source` must be an object");
    if (TextOf(*source, "type") != "base64") return images_.AddReference(block);
    if (RequireString(*source, "data", findings_)) images_.Add(*source->Find("data"), TextOf(*source, "media_type"));
  }

  void CheckCall(const JsonNode& block) {
    uses_tools_ = true;
    CheckCallId(request_.provider, block, "id", findings_);
    CheckToolName(request_.provider, block, "name", findings_);
    const JsonNode* input = block.Find("input");
    if (input == nullptr || !input->is(Kind::kObject)) Add(RuleId::kShape, block, "`input` must be an object");
    if (!ids_.insert(TextOf(block, "id")).second) Add(RuleId::kDuplicateCallId, block);
  }

  void CheckResult(const JsonNode& block) {
    uses_tools_ = true;
    (void)RequireString(block, "tool_use_id", findings_);
    const JsonNode* content = block.Find("content");
    bool blank = content == nullptr || (content->is(Kind::kString) && IsBlank(content->string)) ||
                 (content->is(Kind::kArray) && content->elements.empty());
    const JsonNode* error = block.Find("is_error");
    if (blank && error != nullptr && error->is_true()) Add(RuleId::kAnthropicEmptyError, block);
    for (const JsonNode& part : ElementsOf(content)) {
      CheckType(request_.provider, part, findings_);
      if (TypeOf(part) == "image") CheckImage(part);
      if (TypeOf(part) == "text" && IsBlank(BlockText(part))) Add(RuleId::kEmptyText, part);
    }
  }

  // `last`: a call of the server may still be running when a response ends.
  void CheckServerCalls(const Message& message, bool last) {
    std::unordered_map<std::string_view, const JsonNode*> open;
    for (const JsonNode* block : message.blocks) {
      if (IsServerCall(*block)) open.emplace(TextOf(*block, "id"), block);
      if (IsServerResult(*block) && open.erase(TextOf(*block, "tool_use_id")) == 0) {
        Add(RuleId::kAnthropicServerResult, *block, "no call before it");
      }
    }
    if (last) return;
    for (const auto& [id, block] : open) Add(RuleId::kAnthropicServerResult, *block, "no result");
  }

  void CheckResults(const Message& calls, const Message* next) {
    std::unordered_map<std::string_view, const JsonNode*> open;
    std::unordered_set<std::string_view> answered;
    for (const JsonNode* block : calls.blocks) {
      if (IsCall(*block)) open.emplace(TextOf(*block, "id"), block);
    }
    const bool called = !open.empty();
    bool other = false;
    for (const JsonNode* block : next != nullptr ? next->blocks : std::vector<const JsonNode*>()) {
      if (!IsResult(*block)) {
        other = true;
        continue;
      }
      const std::string_view id = TextOf(*block, "tool_use_id");
      if (open.erase(id) == 1) {
        answered.insert(id);
        if (other) Add(RuleId::kAnthropicResultsFirst, *block);
      } else {
        Add(answered.contains(id) ? RuleId::kAnthropicRepeatedResult : RuleId::kAnthropicStrayResult, *block);
      }
    }
    if (!called) return;
    for (const auto& [id, block] : open) Add(RuleId::kAnthropicMissingResult, *block);
  }

  void CheckEnd() {
    if (messages_.empty()) return Add(RuleId::kEmptyMessage, request_.list, "no message");
    const Message& last = messages_.back();
    if (!last.assistant) return;
    if (!request_.model.IsBefore("claude", 4, 6)) return Add(RuleId::kAnthropicPrefill, *last.node);
    const std::string_view text = last.blocks.empty() ? std::string_view() : BlockText(*last.blocks.back());
    if (!text.empty() && IsBlank(text.substr(text.size() - 1))) {
      Add(RuleId::kAnthropicTrailingSpace, *last.blocks.back());
    }
  }

  // Thinking can be left out of messages whose calls are not being answered now.
  void CheckThinkingFirst() {
    const JsonNode* thinking = request_.body.Find("thinking");
    if (thinking == nullptr || TextOf(*thinking, "type") != "enabled" || messages_.size() < 2) return;
    const Message& last = messages_.back();
    const Message& calls = messages_[messages_.size() - 2];
    const bool answering = !last.assistant && std::ranges::any_of(last.blocks, [](auto* b) { return IsResult(*b); });
    if (answering && !calls.blocks.empty() && !IsThinking(*calls.blocks.front())) {
      Add(RuleId::kAnthropicThinkingFirst, *calls.blocks.front());
    }
  }

  void CheckTools() {
    const JsonNode* tools = request_.body.Find("tools");
    if (request_.is_whole() && uses_tools_ && ElementsOf(tools).empty()) Add(RuleId::kAnthropicTools, request_.body);
    for (const JsonNode& tool : ElementsOf(tools)) {
      CheckToolName(request_.provider, tool, "name", findings_);
      if (tool.Find("cache_control") != nullptr) cache_marks_.push_back(&tool);
    }
  }

  void CheckCacheMarks() {
    for (const JsonNode& block : ElementsOf(request_.body.Find("system"))) {
      if (block.Find("cache_control") != nullptr) cache_marks_.push_back(&block);
    }
    if (cache_marks_.size() <= kMaxCacheMarks) return;
    Add(RuleId::kAnthropicCacheMarks, *cache_marks_.front(), fmt::format("{} marks", cache_marks_.size()));
  }

  const LintedRequest& request_;
  Findings& findings_;
  ImageChecks images_;
  std::vector<Message> messages_;
  std::unordered_set<std::string_view> ids_;
  std::vector<const JsonNode*> cache_marks_;
  bool uses_tools_ = false;
};

}  // namespace

void CheckAnthropic(const LintedRequest& request, Findings& findings) { AnthropicChecks(request, findings).Run(); }

}  // namespace turnlog
