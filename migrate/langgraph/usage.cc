#include "migrate/langgraph/usage.h"

#include <algorithm>
#include <optional>

#include "migrate/langgraph/converter.h"
#include "migrate/langgraph/message.h"
#include "migrate/langgraph/message_channels.h"

namespace turnlog {
namespace {

// `input_tokens` has the cached tokens, and `output_tokens` the reasoning. Where the tokens that were written to a
// cache are named by their time to live, their sum may be 0.
TokenUsage ReadTokens(const JsonObject& usage) {
  const JsonObject input = usage.Object("input_token_details");
  TokenUsage tokens{
      .input = TokensIn(usage, "input_tokens"),
      .cache_write = std::max(TokensIn(input, "cache_creation"), TokensIn(input, "ephemeral_5m_input_tokens") +
                                                                     TokensIn(input, "ephemeral_1h_input_tokens")),
      .cache_read = TokensIn(input, "cache_read"),
      .output = TokensIn(usage, "output_tokens"),
      .reasoning = TokensIn(usage.Object("output_token_details"), "reasoning")};
  tokens.input -= std::min(tokens.input, tokens.cache_read + tokens.cache_write);
  return tokens;
}

class LangGraphUsage final : public UsageReader {
 public:
  // Checkpoints say when the writes after them were made.
  bool Wants(std::string_view text) const override {
    return text.contains("usage_metadata") || text.contains(R"("table":"checkpoints")");
  }

  void Read(const JsonObject& record, const UsageSink& sink) override {
    if (record.String("table") != "checkpoints") return Write(record["value"], sink);
    time_ = LangGraphConverter(nullptr).Head(record).time;  // which no task changes
    const JsonObject channels = record.Object("checkpoint").Object("channel_values");
    for (const auto& [name, value] : channels.fields()) {
      for (const LangMessage& message : ReadLangMessages(MessageListIn(value))) Message(message, sink);
    }
  }

 private:
  // What is in the next checkpoint, too, has the same id there.
  void Write(std::string_view value, const UsageSink& sink) const {
    const auto write = ReadMessageWrite(value);
    if (!write) return;
    for (const LangMessage& message : write->messages) {
      if (message.has_id()) Message(message, sink);
    }
  }

  void Message(const LangMessage& message, const UsageSink& sink) const {
    const JsonObject response = message.fields.Object("response_metadata");
    const auto model = response.String(response["model_name"].empty() ? "model" : "model_name");
    MessageUsage usage{.message = message.key,
                       .model = model.value_or(""),
                       .time = time_,
                       .tokens = ReadTokens(message.fields.Object("usage_metadata"))};
    if (usage.tokens.total() > 0) sink(std::move(usage));
  }

  std::optional<Timestamp> time_;  // of the last checkpoint
};

}  // namespace

std::unique_ptr<UsageReader> ReadLangGraphUsage() { return std::make_unique<LangGraphUsage>(); }

}  // namespace turnlog
