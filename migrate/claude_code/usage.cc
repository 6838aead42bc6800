#include "migrate/claude_code/usage.h"

#include "migrate/claude_code/session.h"
#include "migrate/logged/copied_history.h"

namespace turnlog {
namespace {

class ClaudeUsage final : public UsageReader {
 public:
  bool Wants(std::string_view text) const override { return text.contains("\"usage\""); }

  void ReadPart(std::string_view name, std::string_view /*text*/, const UsageSink& /*sink*/) override {
    if (name == kOriginMissingPart) keeps_copies_ = true;
    if (name == kResumedFromPart || name == kParentPart) repeats_ = true;
  }

  // Forks mark them. What a resumed session or a subagent repeats is imported as nothing else.
  bool IsCopy(const JsonObject& record, bool foreign) const override {
    return (record["forkedFrom"].starts_with('{') && !keeps_copies_) || (foreign && repeats_);
  }

  void Read(const JsonObject& record, const UsageSink& sink) override {
    if (record.String("type") != "assistant") return;
    const JsonObject message = record.Object("message");
    MessageUsage usage{.message = message.String("id").value_or(record.String("uuid").value_or("")),
                       .model = message.String("model").value_or(""),
                       .time = record.Time("timestamp"),
                       .tokens = ReadAnthropicUsage(message.Object("usage"))};
    if (usage.tokens.total() > 0) sink(std::move(usage));
  }

 private:
  bool keeps_copies_ = false, repeats_ = false;
};

}  // namespace

std::unique_ptr<UsageReader> ReadClaudeUsage() { return std::make_unique<ClaudeUsage>(); }

}  // namespace turnlog
