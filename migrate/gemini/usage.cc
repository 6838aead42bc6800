#include "migrate/gemini/usage.h"

#include <algorithm>

namespace turnlog {
namespace {

// As in Gemini's API: `input` has the cached tokens, but not those of the results of its own tools, and `output` has no
// thoughts.
TokenUsage ReadTokens(const JsonObject& tokens) {
  const std::uint64_t input = TokensIn(tokens, "input"), cached = TokensIn(tokens, "cached");
  const std::uint64_t thoughts = TokensIn(tokens, "thoughts");
  return {.input = input - std::min(input, cached) + TokensIn(tokens, "tool"),
          .cache_read = cached,
          .output = TokensIn(tokens, "output") + thoughts,
          .reasoning = thoughts};
}

class GeminiUsage final : public UsageReader {
 public:
  bool Wants(std::string_view text) const override { return text.contains("\"tokens\""); }

  void Read(const JsonObject& record, const UsageSink& sink) override {
    Message(record, sink);
    for (const std::string_view text : ElementsOf(record.Object("$set")["messages"])) {
      Message(JsonObject::Parse(text).value_or(JsonObject()), sink);
    }
  }

 private:
  static void Message(const JsonObject& message, const UsageSink& sink) {
    MessageUsage usage{.message = message.String("id").value_or(""),
                       .model = message.String("model").value_or(""),
                       .time = message.Time("timestamp"),
                       .tokens = ReadTokens(message.Object("tokens"))};
    if (usage.tokens.total() > 0) sink(std::move(usage));
  }
};

}  // namespace

std::unique_ptr<UsageReader> ReadGeminiUsage() { return std::make_unique<GeminiUsage>(); }

}  // namespace turnlog
