#include "migrate/usage/usage_reader.h"

#include <algorithm>
#include <charconv>

namespace turnlog {

std::uint64_t TokensIn(const JsonObject& object, std::string_view field) {
  const std::string_view text = object[field];
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

TokenUsage ReadAnthropicUsage(const JsonObject& usage) {
  return {.input = TokensIn(usage, "input_tokens"),
          .cache_write = TokensIn(usage, "cache_creation_input_tokens"),
          .cache_read = TokensIn(usage, "cache_read_input_tokens"),
          .output = TokensIn(usage, "output_tokens"),
          .reasoning = TokensIn(usage.Object("output_tokens_details"), "thinking_tokens")};
}

// The Responses API and Codex name them input and output, chat completions prompt and completion.
TokenUsage ReadOpenAiUsage(const JsonObject& usage) {
  const bool chat = !usage["prompt_tokens"].empty();
  const JsonObject input = usage.Object(chat ? "prompt_tokens_details" : "input_tokens_details");
  const JsonObject output = usage.Object(chat ? "completion_tokens_details" : "output_tokens_details");
  const auto either = [&](const JsonObject& details, std::string_view field, std::string_view flat) {
    return details[field].empty() ? TokensIn(usage, flat) : TokensIn(details, field);
  };
  TokenUsage tokens{.input = TokensIn(usage, chat ? "prompt_tokens" : "input_tokens"),
                    .cache_write = TokensIn(usage, "cache_write_input_tokens"),
                    .cache_read = either(input, "cached_tokens", "cached_input_tokens"),
                    .output = TokensIn(usage, chat ? "completion_tokens" : "output_tokens"),
                    .reasoning = either(output, "reasoning_tokens", "reasoning_output_tokens")};
  tokens.input -= std::min(tokens.input, tokens.cache_read + tokens.cache_write);
  return tokens;
}

}  // namespace turnlog
