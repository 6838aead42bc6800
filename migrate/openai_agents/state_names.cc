#include "migrate/openai_agents/state_names.h"

namespace turnlog {
namespace {

constexpr StateNames kPython{.input = "original_input",
                             .session_items = "session_items",
                             .generated_items = "generated_items",
                             .raw_item = "raw_item",
                             .tool_name = "tool_name",
                             .step = "current_step",
                             .responses = "model_responses",
                             .response_id = "response_id",
                             .input_tokens = "input_tokens",
                             .input_details = "input_tokens_details",
                             .output_tokens = "output_tokens",
                             .output_details = "output_tokens_details",
                             .messages = "rejection_messages",
                             .message_for_all = "sticky_rejection_message"};

constexpr StateNames kJavaScript{.is_javascript = true,
                                 .input = "originalInput",
                                 .session_items = "generatedItems",
                                 .generated_items = "generatedItems",
                                 .raw_item = "rawItem",
                                 .tool_name = "toolName",
                                 .step = "currentStep",
                                 .responses = "modelResponses",
                                 .response_id = "responseId",
                                 .input_tokens = "inputTokens",
                                 .input_details = "inputTokensDetails",
                                 .output_tokens = "outputTokens",
                                 .output_details = "outputTokensDetails",
                                 .messages = "messages",
                                 .message_for_all = "stickyRejectMessage"};

}  // namespace

const StateNames& NamesOf(const JsonObject& state) { return state[kJavaScript.input].empty() ? kPython : kJavaScript; }

}  // namespace turnlog
