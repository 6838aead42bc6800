#include "migrate/claude_code/usage.h"

namespace turnlog {
namespace {

class ClaudeUsage final : public UsageReader {
 public:
  bool Wants(std::string_view text) const override { return text.contains("\"usage\""); }

  void Read(const JsonObject& record, const UsageSink& sink) override {
    if (record.String("type") != "assistant") return;
    const JsonObject message = record.Object("message");
    MessageUsage usage{.message = message.String("id").value_or(record.String("uuid").value_or("")),
                       .model = message.String("model").value_or(""),
                       .time = {},
                       .tokens = ReadAnthropicUsage(message.Object("usage"))};
    if (const auto time = Timestamp::ParseRfc3339(record.String("timestamp").value_or(""))) usage.time = *time;
    if (usage.tokens.total() > 0) sink(std::move(usage));
  }
};

}  // namespace

std::unique_ptr<UsageReader> ReadClaudeUsage() { return std::make_unique<ClaudeUsage>(); }

}  // namespace turnlog
