// The rules, as the checks name them; rules.cc has the table.
#pragma once

#include <cstdint>

#include "turnlog/providers/lint.h"

namespace turnlog {

enum class RuleId : std::uint8_t {
  kShape,
  kRequestSize,
  kEmptyText,
  kEmptyMessage,
  kCallId,
  kToolName,
  kDuplicateCallId,
  kImageEncoding,
  kImageType,
  kImageBytes,
  kImagePixels,
  kManyImagesPixels,
  kImageCount,
  kDuplicateImage,
  kSealedAltered,
  kSealedForeign,
  kAnthropicFirstMessage,
  kAnthropicMissingResult,
  kAnthropicStrayResult,
  kAnthropicResultsFirst,
  kAnthropicRepeatedResult,
  kAnthropicServerResult,
  kAnthropicEmptyError,
  kAnthropicTools,
  kAnthropicPrefill,
  kAnthropicTrailingSpace,
  kAnthropicThinkingUnsigned,
  kAnthropicThinkingEmpty,
  kAnthropicThinkingFirst,
  kAnthropicCacheMarks,
  kChatMissingResult,
  kChatStrayResult,
  kChatEmptyCalls,
  kChatArguments,
  kResponsesMissingOutput,
  kResponsesStrayOutput,
  kResponsesOutputType,
  kResponsesReasoningAlone,
  kResponsesCallWithoutReasoning,
  kResponsesSummary,
  kResponsesReasoningContent,
  kResponsesNotStored,
  kResponsesDuplicateItem,
  kGeminiMissingResponse,
  kGeminiStrayResponse,
  kGeminiCallPosition,
  kGeminiResponseName,
  kGeminiThoughtSignature,
  kGeminiLastContent,
  kCount,
};

const ProviderRule& RuleOf(RuleId id);

}  // namespace turnlog
