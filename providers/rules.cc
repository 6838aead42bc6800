#include <algorithm>
#include <array>
#include <utility>

#include "providers/rule_id.h"

namespace turnlog {
namespace {

constexpr Provider kAnthropic = Provider::kAnthropic, kChat = Provider::kOpenAiChat,
                   kResponses = Provider::kOpenAiResponses, kGemini = Provider::kGemini;
constexpr std::array kProviders{kAnthropic, kChat, kResponses, kGemini};

struct Row {
  RuleId number;
  ProviderRule rule;
};

std::vector<Row> Table() {
  constexpr Verdict kRefused = Verdict::kRefused, kRisk = Verdict::kRisk;
  const std::vector<Provider> all(kProviders.begin(), kProviders.end());
  return {
      // --- all of them ---
      {RuleId::kShape,
       {"shape", all, kRefused, "Messages, blocks and items have the fields, roles and types that the API defines.",
        "Field required", "Add the field, or remove the block with the other half of its pair."}},
      {RuleId::kRequestSize,
       {"request-size", all, kRefused,
        "The body is not larger than the API accepts: 32 MB, 50 MB (OpenAI), 20 MB (Gemini).", "request_too_large",
        "Replace old images and long results by short texts, or compact the conversation."}},
      {RuleId::kEmptyText,
       {"empty-text",
        {kAnthropic, kGemini},
        kRefused,
        "A text is neither empty nor only white space.",
        "text content blocks must be non-empty",
        "Remove the block; if the message is empty then, remove it too."}},
      {RuleId::kEmptyMessage,
       {"empty-message", all, kRefused, "A message has contents; an assistant's message has a text or calls.",
        "messages must have non-empty content", "Remove the message."}},
      {RuleId::kCallId,
       {"call-id",
        {kAnthropic, kChat, kResponses},
        kRefused,
        "The id of a call has letters, digits, `_` and `-` only (Anthropic), and at most 64 bytes (OpenAI; of a chat, "
        "40).",
        "String should match pattern '^[a-zA-Z0-9_-]+$'",
        "Give the call and its result another id."}},
      {RuleId::kToolName,
       {"tool-name", all, kRefused,
        "The name of a tool has letters, digits, `_` and `-` (Gemini: also `.` and `:`), at most 64 (Anthropic: 128).",
        "String should match pattern", "Rename the tool in its definition and in its calls."}},
      {RuleId::kDuplicateCallId,
       {"duplicate-call-id",
        {kAnthropic, kChat, kResponses},
        kRefused,
        "No two calls of a request (of a chat: of a message) have one id.",
        "`tool_use` ids must be unique",
        "Give one of the calls, and its result, another id."}},
      {RuleId::kImageEncoding,
       {"image-encoding", all, kRefused, "An inline image is base64 of an image.", "Could not process image",
        "Replace the image by a text such as [image]."}},
      {RuleId::kImageType,
       {"image-type", all, kRefused, "The media type is one that the API accepts, and is that of the bytes.",
        "Image does not match the provided media type", "State the type of the bytes, or convert the image."}},
      {RuleId::kImageBytes,
       {"image-bytes",
        {kAnthropic},
        kRefused,
        "An image has at most 5 MiB in base64.",
        "image exceeds 5 MB maximum",
        "Scale the image down, or replace it by a text."}},
      {RuleId::kImagePixels,
       {"image-pixels",
        {kAnthropic},
        kRefused,
        "No side of an image is longer than 8000 pixels.",
        "At least one of the image dimensions exceed max allowed size: 8000 pixels",
        "Scale the image down, or replace it by a text."}},
      {RuleId::kManyImagesPixels,
       {"many-images-pixels",
        {kAnthropic},
        kRefused,
        "In a request with more than 20 images no side of one is longer than 2000 pixels.",
        "image dimensions exceed max allowed size for many-image requests: 2000 pixels",
        "Scale the images down, or replace the older ones by texts."}},
      {RuleId::kImageCount,
       {"image-count", all, kRefused, "A request has at most 100 images (OpenAI: 500, Gemini: 3600).",
        "too many images", "Replace the older images by texts."}},
      {RuleId::kDuplicateImage,
       {"duplicate-image", all, kRisk, "No image is in a request twice: each copy is paid for and counts.", "",
        "Keep the last copy, and replace the others by a text."}},
      {RuleId::kSealedAltered,
       {"opaque-altered", all, kRefused,
        "A signature or encrypted content is exactly what the provider wrote: neither cut nor changed.",
        "Invalid `signature` in `thinking` block", "Remove the whole block, with the call that depends on it."}},
      {RuleId::kSealedForeign,
       {"opaque-foreign", all, kRefused,
        "A signature or encrypted content was written by this provider, for this model and account.",
        "The encrypted content could not be verified", "Remove the whole block; its text may go on as a text."}},
      // --- Anthropic ---
      {RuleId::kAnthropicFirstMessage,
       {"anthropic-first-message",
        {kAnthropic},
        kRefused,
        "The first message is the user's.",
        "first message must use the \"user\" role",
        "Begin with a user's message."}},
      {RuleId::kAnthropicMissingResult,
       {"anthropic-missing-result",
        {kAnthropic},
        kRefused,
        "The next message has a `tool_result` for each `tool_use`.",
        "`tool_use` ids were found without `tool_result` blocks immediately after",
        "Add the result at the beginning of the next message; if there is none, an error result."}},
      {RuleId::kAnthropicStrayResult,
       {"anthropic-stray-result",
        {kAnthropic},
        kRefused,
        "A `tool_result` answers a `tool_use` of the previous message.",
        "unexpected `tool_use_id` found in `tool_result` blocks",
        "Move the result after its call; if there is no such call, remove the result."}},
      {RuleId::kAnthropicResultsFirst,
       {"anthropic-results-first",
        {kAnthropic},
        kRefused,
        "The results are the first blocks of the message after the calls.",
        "Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks",
        "Move the other blocks after the results."}},
      {RuleId::kAnthropicRepeatedResult,
       {"anthropic-repeated-result",
        {kAnthropic},
        kRefused,
        "A `tool_use` has one result.",
        "each tool_use must have a single result",
        "Keep the first result."}},
      {RuleId::kAnthropicServerResult,
       {"anthropic-server-result",
        {kAnthropic},
        kRefused,
        "A `server_tool_use` comes before its result, in the same message.",
        "was found without a corresponding",
        "Keep both in their order, or remove both."}},
      {RuleId::kAnthropicEmptyError,
       {"anthropic-empty-error",
        {kAnthropic},
        kRefused,
        "A result with `is_error` has contents.",
        "content cannot be empty if `is_error` is true",
        "Say in the content what went wrong."}},
      {RuleId::kAnthropicTools,
       {"anthropic-tools",
        {kAnthropic},
        kRefused,
        "A request with calls or results defines tools.",
        "Requests which include `tool_use` or `tool_result` blocks must define tools",
        "Add `tools`; a definition with the name of the tool is enough."}},
      {RuleId::kAnthropicPrefill,
       {"anthropic-prefill",
        {kAnthropic},
        kRefused,
        "The last message is the user's (models from 4.6 on).",
        "This model does not support assistant message prefill",
        "Add a user's message at the end."}},
      {RuleId::kAnthropicTrailingSpace,
       {"anthropic-trailing-space",
        {kAnthropic},
        kRefused,
        "The last message, if it is the assistant's, does not end with white space.",
        "final assistant content cannot end with trailing whitespace",
        "Remove the white space."}},
      {RuleId::kAnthropicThinkingUnsigned,
       {"anthropic-thinking-unsigned",
        {kAnthropic},
        kRefused,
        "A `thinking` block has its signature.",
        "thinking.signature: Field required",
        "Remove the block; nothing can replace the signature."}},
      {RuleId::kAnthropicThinkingEmpty,
       {"anthropic-thinking-empty",
        {kAnthropic},
        kRefused,
        "A `thinking` block has a text (models before 4.7; later ones may leave it out).",
        "each thinking block must contain thinking",
        "Remove the block."}},
      {RuleId::kAnthropicThinkingFirst,
       {"anthropic-thinking-first",
        {kAnthropic},
        kRefused,
        "If thinking is enabled, an assistant's message whose calls are being answered begins with its thinking.",
        "Expected `thinking` or `redacted_thinking`, but found",
        "Pass the thinking blocks back, or disable thinking for this request."}},
      {RuleId::kAnthropicCacheMarks,
       {"anthropic-cache-marks",
        {kAnthropic},
        kRefused,
        "At most four blocks have `cache_control`.",
        "A maximum of 4 blocks with cache_control may be provided",
        "Remove the marks of the oldest blocks."}},
      // --- OpenAI, Chat Completions ---
      {RuleId::kChatMissingResult,
       {"chat-missing-result",
        {kChat},
        kRefused,
        "A message with `tool_calls` is followed directly by a `tool` message for each of them.",
        "An assistant message with 'tool_calls' must be followed by tool messages",
        "Add the result directly after the message; if there is none, a text that says so."}},
      {RuleId::kChatStrayResult,
       {"chat-stray-result",
        {kChat},
        kRefused,
        "A `tool` message answers a call of the message before, once.",
        "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
        "Move the result after its call; if there is no such call, remove the result."}},
      {RuleId::kChatEmptyCalls,
       {"chat-empty-calls",
        {kChat},
        kRefused,
        "`tool_calls` is not an empty array.",
        "[] is too short - 'messages",
        "Remove the field."}},
      {RuleId::kChatArguments,
       {"chat-arguments",
        {kChat, kResponses},
        kRisk,
        "The arguments of a call are JSON, in a string.",
        "failed to parse tool call arguments as JSON",
        "Replace them by {}."}},
      // --- OpenAI, Responses ---
      {RuleId::kResponsesMissingOutput,
       {"responses-missing-output",
        {kResponses},
        kRefused,
        "Each call has an output with its `call_id`.",
        "No tool output found for function call",
        "Add the output; if there is none, a text that says so."}},
      {RuleId::kResponsesStrayOutput,
       {"responses-stray-output",
        {kResponses},
        kRefused,
        "Each output has a call with its `call_id`, before it, and is the only one.",
        "No tool call found for function call output with call_id",
        "Remove the output, or add its call."}},
      {RuleId::kResponsesOutputType,
       {"responses-output-type",
        {kResponses},
        kRefused,
        "The type of an output is that of its call.",
        "No tool output found for",
        "Give the output the type of its call, with `_output`."}},
      {RuleId::kResponsesReasoningAlone,
       {"responses-reasoning-alone",
        {kResponses},
        kRefused,
        "A `reasoning` item is followed by the message or call that it led to.",
        "of type 'reasoning' was provided without its required following item",
        "Remove the reasoning item, or keep what followed it."}},
      {RuleId::kResponsesCallWithoutReasoning,
       {"responses-call-without-reasoning",
        {kResponses},
        kRisk,
        "A call of a reasoning model that is sent with its `id` follows the reasoning item that it was made with.",
        "was provided without its required 'reasoning' item",
        "Keep the reasoning item, or remove the `id` of the call."}},
      {RuleId::kResponsesSummary,
       {"responses-summary",
        {kResponses},
        kRefused,
        "A `reasoning` item has a `summary`, which may be [].",
        "Missing required parameter: 'input[",
        "Add \"summary\":[]."}},
      {RuleId::kResponsesReasoningContent,
       {"responses-reasoning-content",
        {kResponses},
        kRefused,
        "A `reasoning` item has no texts in `content`: those are of other providers.",
        "array too long. Expected an array with maximum length 0",
        "Remove `content`."}},
      {RuleId::kResponsesNotStored,
       {"responses-not-stored",
        {kResponses},
        kRefused,
        "With `store` false nothing refers to a stored item: no `item_reference`, no reasoning by `id` alone.",
        "Items are not persisted when `store` is set to false",
        "Send the item itself, reasoning with its `encrypted_content`, or remove it."}},
      {RuleId::kResponsesDuplicateItem,
       {"responses-duplicate-item",
        {kResponses},
        kRefused,
        "No two items have one `id`.",
        "Duplicate item found with id",
        "Remove the second item."}},
      // --- Gemini ---
      {RuleId::kGeminiMissingResponse,
       {"gemini-missing-response",
        {kGemini},
        kRefused,
        "The content after calls has as many `functionResponse` parts as there were `functionCall` parts.",
        "Please ensure that the number of function response parts is equal to the number of function call parts",
        "Add the missing response to the next content; if there is none, one that says so."}},
      {RuleId::kGeminiStrayResponse,
       {"gemini-stray-response",
        {kGemini},
        kRefused,
        "A `functionResponse` comes directly after the content with its call.",
        "Please ensure that function response turn comes immediately after a function call turn",
        "Move the response after its call; if there is no such call, remove it."}},
      {RuleId::kGeminiCallPosition,
       {"gemini-call-position",
        {kGemini},
        kRefused,
        "A content with calls comes directly after a user's content or after responses.",
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn",
        "Join the content with the model's content before it."}},
      {RuleId::kGeminiResponseName,
       {"gemini-response-name",
        {kGemini},
        kRisk,
        "A response has the name of its call.",
        "",
        "Use the name of the call."}},
      {RuleId::kGeminiThoughtSignature,
       {"gemini-thought-signature",
        {kGemini},
        kRefused,
        "In the current turn the first call of each content has its `thoughtSignature` (models from 3 on).",
        "Function call is missing a thought_signature",
        "Pass the signature back; if it is lost, the value skip_thought_signature_validator is accepted."}},
      {RuleId::kGeminiLastContent,
       {"gemini-last-content",
        {kGemini},
        kRefused,
        "The last content is the user's, or has responses.",
        "Please ensure that multiturn requests ends with a user role or a function response",
        "Add a user's content at the end."}},
  };
}

std::vector<ProviderRule> InOrder(std::vector<Row> rows) {
  std::ranges::sort(rows, {}, &Row::number);
  std::vector<ProviderRule> rules;
  for (Row& row : rows) rules.push_back(std::move(row.rule));
  return rules;
}

}  // namespace

std::string_view ToString(Provider provider) {
  switch (provider) {
    case kAnthropic:
      return "anthropic";
    case kChat:
      return "openai-chat";
    case kResponses:
      return "openai-responses";
    case kGemini:
      return "gemini";
  }
  return {};
}

std::span<const Provider> AllProviders() { return kProviders; }

std::optional<Provider> FindProvider(std::string_view name) {
  const auto* const found = std::ranges::find(kProviders, name, [](Provider provider) { return ToString(provider); });
  return found == kProviders.end() ? std::nullopt : std::optional(*found);
}

std::string_view ToString(Verdict verdict) { return verdict == Verdict::kRefused ? "refused" : "risk"; }

bool ProviderRule::AppliesTo(Provider provider) const {
  return std::ranges::find(providers, provider) != providers.end();
}

std::span<const ProviderRule> ProviderRules() {
  static const std::vector<ProviderRule> rules = InOrder(Table());
  return rules;
}

const ProviderRule* FindProviderRule(std::string_view id) {
  const auto found = std::ranges::find(ProviderRules(), id, &ProviderRule::id);
  return found == ProviderRules().end() ? nullptr : &*found;
}

const ProviderRule& RuleOf(RuleId id) { return ProviderRules()[static_cast<std::size_t>(id)]; }

}  // namespace turnlog
